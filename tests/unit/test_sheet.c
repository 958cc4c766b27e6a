// SPDX-License-Identifier: GPL-2.0-only
/* Sheets: the same rows as table, CSV, JSON and HTML. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "base/base.h"
#include "base/sheet.h"

static const struct sheet_column columns[] = {
	{ "name", "NAME", .class = "name" },
	{ "count", "COUNT", .class = "num", .absent = "?" },
	{ "ratio", "RATIO", .decimals = 2, .class = "num" },
	{ "done", "DONE", .class = "flag" },
};

struct page {
	struct str text;
	struct json json;
	struct sheet sheet;
};

static struct sheet *begin(struct page *p, enum sheet_format format)
{
	*p = (struct page){};
	json_init(&p->json, &p->text, false);
	p->sheet = (struct sheet){ .format = format, .out = &p->text, .json = &p->json };
	return &p->sheet;
}

static void expect(struct page *p, const char *text)
{
	assert_int_equal(sheet_end(&p->sheet), 0);
	assert_string_equal(str_get(&p->text), text);
	str_finish(&p->text);
}

static void expect_all(void (*fill)(struct sheet *s), const char *const texts[4])
{
	for (enum sheet_format f = SHEET_AS_TABLE; f <= SHEET_AS_HTML; f++) {
		struct page p;

		fill(begin(&p, f));
		expect(&p, texts[f]);
	}
}

#define HTML_HEAD                                                                      \
	"<thead><tr><th scope=\"col\" class=\"name\" data-c=\"name\"><button>NAME"     \
	"</button></th><th scope=\"col\" class=\"num\" data-c=\"count\"><button>COUNT" \
	"</button></th><th scope=\"col\" class=\"num\" data-c=\"ratio\"><button>RATIO" \
	"</button></th><th scope=\"col\" class=\"flag\" data-c=\"done\"><button>DONE"  \
	"</button></th></tr></thead><tbody>\n"

static void fill_nothing(struct sheet *s)
{
	sheet_begin(s, NULL, columns);
}

static void test_an_empty_sheet_has_its_header(void **state)
{
	(void)state;
	expect_all(fill_nothing, (const char *const[]){
					 " NAME  COUNT  RATIO  DONE\n",
					 "name,count,ratio,done\r\n",
					 "[]",
					 HTML_HEAD "</tbody>",
				 });
}

static void fill_absent(struct sheet *s)
{
	sheet_begin(s, NULL, columns);
	sheet_add(s, SHEET_TEXT("a"), SHEET_U64(0), SHEET_REAL(0), SHEET_BOOL(false));
	sheet_add(s, SHEET_TEXT(NULL), SHEET_U64_IF(false, 7), SHEET_REAL(NAN),
		  SHEET_CELL(BOOL, is_true, true, .is_absent = true));
	sheet_add(s, SHEET_TEXT("c"), SHEET_NOTHING, SHEET_REAL(1.5));
}

/* Absent is not zero, and what does not apply is neither. */
static void test_absent_cells(void **state)
{
	(void)state;
	expect_all(fill_absent,
		   (const char *const[]){
			   " NAME  COUNT  RATIO  DONE\n"
			   " a     0      0.00   no\n"
			   " -     ?      -      -\n"
			   " c            1.50\n",
			   "name,count,ratio,done\r\n"
			   "a,0,0,false\r\n"
			   ",,,\r\n"
			   "c,,1.5,\r\n",
			   "[{\"name\":\"a\",\"count\":0,\"ratio\":0,\"done\":false},"
			   "{\"name\":null,\"count\":null,\"ratio\":null,\"done\":null},"
			   "{\"name\":\"c\",\"ratio\":1.5}]",
			   HTML_HEAD "<tr><td class=\"name\" data-l=\"NAME\">a</td>"
				     "<td class=\"num\" data-l=\"COUNT\" data-v=\"0\">0</td>"
				     "<td class=\"num\" data-l=\"RATIO\" data-v=\"0\">0.00</td>"
				     "<td class=\"flag\" data-l=\"DONE\">no</td></tr>\n"
				     "<tr><td class=\"name\" data-l=\"NAME\">-</td>"
				     "<td class=\"num\" data-l=\"COUNT\" data-v=\"\">?</td>"
				     "<td class=\"num\" data-l=\"RATIO\" data-v=\"\">-</td>"
				     "<td class=\"flag\" data-l=\"DONE\">-</td></tr>\n"
				     "<tr><td class=\"name\" data-l=\"NAME\">c</td>"
				     "<td class=\"num\" data-l=\"COUNT\"></td>"
				     "<td class=\"num\" data-l=\"RATIO\" data-v=\"1.5\">1.50</td>"
				     "<td class=\"flag\" data-l=\"DONE\"></td></tr>\n</tbody>",
		   });
}

static const struct sheet_column texts[] = { { "a", "A", .class = "x" },
					     { "b", "B", .class = "y" } };

#define TEXTS_HEAD                                                                      \
	"<thead><tr><th scope=\"col\" class=\"x\" data-c=\"a\"><button>A</button></th>" \
	"<th scope=\"col\" class=\"y\" data-c=\"b\"><button>B</button></th></tr></thead><tbody>\n"

static void fill_special(struct sheet *s)
{
	sheet_begin(s, NULL, texts);
	sheet_add(s, SHEET_TEXT("1,2"), SHEET_TEXT("say \"hi\" & <go>"));
	sheet_add(s, SHEET_TEXT("日本"), SHEET_TEXT("\033[31mred\n"));
}

/* Wide characters take two columns; terminal escapes do not reach a terminal or a page. */
static void test_text_is_escaped_in_every_format(void **state)
{
	(void)state;
	expect_all(
		fill_special,
		(const char *const[]){
			" A     B\n"
			" 1,2   say \"hi\" & <go>\n"
			" 日本  \\x1b[31mred\\x0a\n",
			"a,b\r\n"
			"\"1,2\",\"say \"\"hi\"\" & <go>\"\r\n"
			"日本,\\x1b[31mred\\x0a\r\n",
			"[{\"a\":\"1,2\",\"b\":\"say \\\"hi\\\" & <go>\"},"
			"{\"a\":\"日本\",\"b\":\"\\u001b[31mred\\n\"}]",
			TEXTS_HEAD
			"<tr><td class=\"x\" data-l=\"A\">1,2</td>"
			"<td class=\"y\" data-l=\"B\">say &quot;hi&quot; &amp; &lt;go&gt;</td></tr>\n"
			"<tr><td class=\"x\" data-l=\"A\">日本</td>"
			"<td class=\"y\" data-l=\"B\">\\x1b[31mred\\x0a</td></tr>\n</tbody>",
		});
}

static void put_list(struct json *j, const void *of)
{
	json_array(j);
	json_string(j, of);
	json_array_end(j);
}

static void fill_shown(struct sheet *s)
{
	struct sheet_cell b = SHEET_I64(INT64_MIN);

	b.style = s->format == SHEET_AS_HTML ? "down" : "\033[31m";
	b.html = "<i></i>";
	sheet_begin(s, NULL, texts);
	sheet_add(s, sheet_shown(s, SHEET_U64(UINT64_MAX), "%s", "<many>"), b);
	sheet_add(s, sheet_shown(s, SHEET_OWN(put_list, "x"), "x"), SHEET_TEXT("y"));
	sheet_below(s, 1, "z");
}

/* Programs get the value, people the text, with its colour. */
static void test_what_is_shown_differs_from_the_value(void **state)
{
	(void)state;
	expect_all(fill_shown,
		   (const char *const[]){
			   " A       B\n"
			   " <many>  \033[31m-9223372036854775808\033[0m\n"
			   " x       y\n"
			   "         z\n",
			   "a,b\r\n"
			   "18446744073709551615,-9223372036854775808\r\n"
			   ",y\r\n",
			   "[{\"a\":18446744073709551615,\"b\":-9223372036854775808},"
			   "{\"a\":[\"x\"],\"b\":\"y\"}]",
			   TEXTS_HEAD
			   "<tr><td class=\"x\" data-l=\"A\" data-v=\"18446744073709551615\">"
			   "&lt;many&gt;</td><td class=\"y down\" data-l=\"B\" "
			   "data-v=\"-9223372036854775808\">-9223372036854775808<i></i></td></tr>\n"
			   "<tr><td class=\"x\" data-l=\"A\">x</td>"
			   "<td class=\"y\" data-l=\"B\">y</td></tr>\n</tbody>",
		   });
}

/* A column is in JSON, in tables or in both, and tables may have another order. */
static void test_columns_of_some_formats(void **state)
{
	static const struct sheet_column some[] = {
		{ "first", "FIRST", .place = 2 }, { "hidden" }, { "last", "LAST", .place = 1 },
		{ .title = "NOTE", .place = 3 },  {},
	};
	static const char *const expected[] = {
		[SHEET_AS_TABLE] = " LAST  FIRST  NOTE\n c     a      d\n",
		[SHEET_AS_JSON] = "{\"list\":[{\"first\":\"a\",\"hidden\":\"b\",\"last\":\"c\"}]",
	};
	struct page p;

	(void)state;
	for (enum sheet_format f = SHEET_AS_TABLE; f <= SHEET_AS_JSON; f += 2) {
		struct sheet *s = begin(&p, f);

		if (f == SHEET_AS_JSON)
			json_object(&p.json);
		sheet_begin(s, "list", some);
		sheet_add(s, SHEET_TEXT("a"), SHEET_TEXT("b"), SHEET_TEXT("c"), SHEET_TEXT("d"),
			  SHEET_TEXT("e"));
		expect(&p, expected[f]);
	}
}

static void test_a_table_with_a_heading_needs_rows(void **state)
{
	struct page p;
	struct sheet *s = begin(&p, SHEET_AS_TABLE);

	(void)state;
	s->heading = "list:\n";
	sheet_begin(s, NULL, texts);
	assert_int_equal(sheet_end(s), 0);
	assert_string_equal(str_get(&p.text), "");
	s->heading = "list:\n";
	sheet_begin(s, NULL, texts);
	sheet_add(s, SHEET_TEXT("1"));
	expect(&p, "list:\n A  B\n 1\n");
}

static void test_csv_continues_without_a_header(void **state)
{
	struct page p;
	struct sheet *s = begin(&p, SHEET_AS_CSV);

	(void)state;
	s->has_no_header = true;
	sheet_begin(s, NULL, texts);
	sheet_put(s, &SHEET_U64(1));
	sheet_put(s, &SHEET_REAL(0.1));
	expect(&p, "1,0.1\r\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_an_empty_sheet_has_its_header),
		cmocka_unit_test(test_absent_cells),
		cmocka_unit_test(test_text_is_escaped_in_every_format),
		cmocka_unit_test(test_what_is_shown_differs_from_the_value),
		cmocka_unit_test(test_columns_of_some_formats),
		cmocka_unit_test(test_a_table_with_a_heading_needs_rows),
		cmocka_unit_test(test_csv_continues_without_a_header),
	};

	term_init_locale();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
