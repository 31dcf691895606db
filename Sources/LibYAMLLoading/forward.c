// Loads libyaml when one of its functions is first called. A new function that bzpack calls needs a line here.
#if __linux__
#include <LibraryLoading.h>

#pragma GCC visibility push(hidden)
#include <yaml.h>

#define LIBRARY "libyaml-0.so.2"

FORWARD(void, yaml_event_delete, (yaml_event_t *a), (a))
FORWARD(void, yaml_parser_delete, (yaml_parser_t *a), (a))
FORWARD(int, yaml_parser_initialize, (yaml_parser_t *a), (a))
FORWARD(int, yaml_parser_parse, (yaml_parser_t *a, yaml_event_t *b), (a, b))
FORWARD(void, yaml_parser_set_encoding, (yaml_parser_t *a, yaml_encoding_t b), (a, b))
FORWARD(void, yaml_parser_set_input, (yaml_parser_t *a, yaml_read_handler_t *b, void *c), (a, b, c))
#endif
