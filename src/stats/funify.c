// SPDX-License-Identifier: GPL-2.0-only
#include "stats/stats.h"

#include "base/hash.h"
#include "stats/registry.h"

static const char *const adjectives[] = {
	"able",	  "amber",  "ample",  "azure",	 "bold",   "brave",  "brisk",  "calm",
	"clever", "cosy",   "crisp",  "daring",	 "deft",   "eager",  "early",  "easy",
	"fair",	  "fancy",  "fleet",  "fond",	 "gentle", "glad",   "golden", "grand",
	"happy",  "hardy",  "hasty",  "humble",	 "ideal",  "jolly",  "keen",   "kind",
	"lively", "loyal",  "lucky",  "mellow",	 "merry",  "mild",   "misty",  "modest",
	"neat",	  "nimble", "noble",  "patient", "plain",  "polite", "proud",  "quick",
	"quiet",  "rapid",  "ready",  "rosy",	 "sharp",  "shy",    "silent", "silver",
	"smart",  "snug",   "steady", "sunny",	 "swift",  "tidy",   "warm",   "witty",
};

static const char *const animals[] = {
	"ant",	  "badger", "bat",    "bear",	 "beaver", "bee",    "bison",  "boar",
	"camel",  "cat",    "cobra",  "crane",	 "crow",   "deer",   "dingo",  "dove",
	"duck",	  "eagle",  "eel",    "elk",	 "falcon", "ferret", "finch",  "fox",
	"frog",	  "gecko",  "goat",   "goose",	 "hare",   "hawk",   "heron",  "horse",
	"ibis",	  "jackal", "koala",  "lark",	 "lemur",  "lion",   "lizard", "llama",
	"lynx",	  "magpie", "marten", "mole",	 "moose",  "moth",   "newt",   "otter",
	"owl",	  "panda",  "pigeon", "pony",	 "quail",  "rabbit", "raven",  "robin",
	"salmon", "seal",   "shrew",  "sparrow", "stork",  "swan",   "tiger",  "wolf",
};

/* Keys whose strings are ktstr's own words, not those of a user's project. */
static const char *const kept_keys[] = { "metric", "unit",     "kind",	 "outcome", "verdict",
					 "better", "polarity", "source", "accel" };

/* If two strings would get the same name, the second gets a number appended. */
struct costume {
	char *text, *name;
};

struct ball {
	uint64_t seed;
	struct json_reader reader;
	struct json json;
	VEC(struct costume) costumes;
	int rc;
};

static void ball_finish(struct ball *b)
{
	vec_release(&b->costumes, each, free(each->text), free(each->name));
}

static char *invent(const struct ball *b, const char *text)
{
	uint64_t hash = siphash(text, strlen(text), (struct siphash_key){ b->seed, 0 }, 1, 3);
	const char *adjective = adjectives[hash % ARRAY_SIZE(adjectives)];
	const char *animal = animals[(hash >> 32) % ARRAY_SIZE(animals)];
	char *name = str_fmt("%s-%s", adjective, animal);

	for (unsigned int n = 2; name && vec_find(&b->costumes, name, name); n++) {
		free(name);
		name = str_fmt("%s-%s-%u", adjective, animal, n);
	}
	return name;
}

static const char *name_of(struct ball *b, const char *text)
{
	struct costume c = {};

	for (size_t i = 0; i < b->costumes.count; i++)
		if (str_eq(b->costumes.items[i].text, text))
			return b->costumes.items[i].name;
	c = (struct costume){ .text = strdup(text), .name = invent(b, text) };
	if (c.text && c.name && vec_push(&b->costumes, c) == 0)
		return c.name;
	free(c.text);
	free(c.name);
	b->rc = err_no_memory();
	return "";
}

static bool is_kept(const char *key, const char *text)
{
	for (size_t i = 0; key && i < ARRAY_SIZE(kept_keys); i++)
		if (str_eq(kept_keys[i], key))
			return true;
	return !*text || registry_find(text);
}

static void copy_value(struct ball *b, const char *key);

static void copy_members(struct ball *b)
{
	struct json_value key;

	json_object(&b->json);
	while (b->rc == 0 && json_read_key(&b->reader, &key)) {
		json_key(&b->json, key.s);
		copy_value(b, key.s);
	}
	json_object_end(&b->json);
}

static void copy_items(struct ball *b, const char *key)
{
	json_array(&b->json);
	while (b->rc == 0 && json_read_item(&b->reader))
		copy_value(b, key);
	json_array_end(&b->json);
}

static void copy_value(struct ball *b, const char *key)
{
	struct json_value v;
	double number;

	switch (json_read_value(&b->reader, &v)) {
	case JSON_OBJECT:
		copy_members(b);
		break;
	case JSON_ARRAY:
		copy_items(b, key);
		break;
	case JSON_STRING:
		json_string(&b->json, is_kept(key, v.s) ? v.s : name_of(b, v.s));
		break;
	case JSON_UNSIGNED:
		json_u64(&b->json, v.u);
		break;
	case JSON_NEGATIVE:
		json_i64(&b->json, v.i);
		break;
	case JSON_UNFIT:
		if (json_number(&v, &number))
			json_double(&b->json, number);
		else
			json_null(&b->json);
		break;
	case JSON_TRUE:
	case JSON_FALSE:
		json_bool(&b->json, v.kind == JSON_TRUE);
		break;
	default:
		json_null(&b->json);
	}
}

int funify(char *text, size_t len, uint64_t seed, bool is_pretty, struct str *out)
{
	_cleanup_(ball_finish) struct ball b = { .seed = seed };

	json_read_init(&b.reader, text, len);
	json_init(&b.json, out, is_pretty);
	copy_value(&b, NULL);
	if (b.rc < 0)
		return b.rc;
	if (!json_read_end(&b.reader))
		return err_set(EINVAL, "byte %zu: %s", b.reader.problem_at, b.reader.problem);
	return str_check(out);
}
