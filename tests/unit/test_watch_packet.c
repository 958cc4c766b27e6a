// SPDX-License-Identifier: GPL-2.0-only
/* gdb's packets, whole and broken. */
#include "unit.h"

#include "watch/parts.h"

static enum packet_kind next(struct packets *p, const char *bytes, struct str *data)
{
	str_reset(data);
	packets_add(p, bytes, strlen(bytes));
	return packets_next(p, data);
}

static void a_packet_comes_in_pieces(void **state)
{
	_cleanup_(packets_finish) struct packets p = {};
	_str_ struct str data = {};

	(void)state;
	assert_int_equal(next(&p, "+$qC", &data), PACKET_NONE);
	assert_int_equal(next(&p, "#b", &data), PACKET_NONE);
	assert_int_equal(next(&p, "4$g#67", &data), PACKET_DATA);
	assert_string_equal(str_get(&data), "qC");
	assert_int_equal(next(&p, "", &data), PACKET_DATA);
	assert_string_equal(str_get(&data), "g");
	assert_int_equal(next(&p, "", &data), PACKET_NONE);
}

static void a_damaged_packet_is_refused_and_the_next_one_is_not(void **state)
{
	_cleanup_(packets_finish) struct packets p = {};
	_str_ struct str data = {}, huge = {};

	(void)state;
	assert_int_equal(next(&p, "$qC#b5$g#67", &data), PACKET_BAD);
	assert_int_equal(next(&p, "", &data), PACKET_DATA);
	assert_string_equal(str_get(&data), "g");
	assert_int_equal(next(&p, "$g#6x", &data), PACKET_BAD);
	assert_int_equal(next(&p, "-", &data), PACKET_REFUSED);
	assert_int_equal(next(&p, "\x03", &data), PACKET_INTERRUPT);
	str_addc(&huge, '$');
	str_repeat(&huge, 'a', PACKET_MAX + 1);
	assert_int_equal(next(&p, huge.s, &data), PACKET_BAD);
	assert_int_equal(next(&p, "aaa#00$g#67", &data), PACKET_DATA);
	assert_string_equal(str_get(&data), "g");
}

static void what_is_special_is_escaped(void **state)
{
	_cleanup_(packets_finish) struct packets p = {};
	_str_ struct str out = {}, data = {};

	(void)state;
	packet_add(&out, "a$#}*b", 6);
	assert_string_equal(str_get(&out), "$a}\x04}\x03}]}\nb#25");
	assert_int_equal(next(&p, out.s, &data), PACKET_DATA);
	assert_string_equal(str_get(&data), "a$#}*b");
}

/* A packet that ends with the sign of an escape has nothing to escape. */
static void a_last_escape_stands_for_itself(void **state)
{
	_cleanup_(packets_finish) struct packets p = {};
	_str_ struct str data = {};

	(void)state;
	assert_int_equal(next(&p, "$a}#de", &data), PACKET_DATA);
	assert_string_equal(str_get(&data), "a}");
	assert_int_equal(next(&p, "$}]#da", &data), PACKET_DATA);
	assert_string_equal(str_get(&data), "}");
}

static void numbers_are_hexadecimal_and_bounded(void **state)
{
	const char *at = "fFa0,";
	uint64_t value;

	(void)state;
	assert_true(packet_take_hex(&at, &value));
	assert_int_equal(value, 0xffa0);
	assert_true(packet_take(&at, ','));
	assert_false(packet_take(&at, ','));
	assert_false(packet_take_hex(&at, &value));
	at = "ffffffffffffffff";
	assert_true(packet_take_hex(&at, &value));
	assert_true(value == UINT64_MAX);
	at = "10000000000000000";
	assert_false(packet_take_hex(&at, &value));
}

static void bytes_are_pairs_of_digits(void **state)
{
	_str_ struct str text = {}, bytes = {};

	(void)state;
	packet_add_hex(&text, "task 7\xff", 7);
	assert_string_equal(str_get(&text), "7461736b2037ff");
	assert_true(packet_from_hex(text.s, &bytes));
	assert_string_equal(str_get(&bytes), "task 7\xff");
	str_reset(&bytes);
	assert_true(packet_from_hex("00ff0A", &bytes));
	assert_int_equal(bytes.len, 3);
	assert_memory_equal(bytes.s, "\0\xff\n", 3);
	assert_false(packet_from_hex("7", &bytes));
	assert_false(packet_from_hex("7g", &bytes));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_packet_comes_in_pieces),
		cmocka_unit_test(a_damaged_packet_is_refused_and_the_next_one_is_not),
		cmocka_unit_test(what_is_special_is_escaped),
		cmocka_unit_test(a_last_escape_stands_for_itself),
		cmocka_unit_test(numbers_are_hexadecimal_and_bounded),
		cmocka_unit_test(bytes_are_pairs_of_digits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
