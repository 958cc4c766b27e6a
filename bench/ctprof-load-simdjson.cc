// The yardstick of bench/bench-ctprof-load: reads a file and parses it.
#include <simdjson.h>

int main(int argc, char **argv)
{
	simdjson::dom::parser parser;

	return argc != 2 || parser.load(argv[1]).error();
}
