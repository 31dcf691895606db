"""One Python rival in a process of its own: `python_rival.py MODE FILE [--schema S] [--gc-off] [--once]`.

The protocol is that of every contender: prepare, run once to warm up, print a line, then run once for each line on
standard input and print the seconds. With `--once` there is no warm-up and no waiting: for peak memory. Results are
released outside the measured time, except in the modes that end in "release".
"""

import argparse
import gc
import json
import pathlib
import sys
import time


def prepare(mode, data, schema):
    """The call to measure."""
    if mode == "orjson-parse":
        import orjson

        return lambda: orjson.loads(data)
    if mode == "orjson-parse-release":
        import orjson

        def parse_and_release():
            orjson.loads(data)

        return parse_and_release
    if mode == "msgspec-parse":
        import msgspec

        return lambda: msgspec.json.decode(data)
    import orjson

    instance = orjson.loads(data)
    if mode == "orjson-write":
        return lambda: orjson.dumps(instance)
    if mode == "orjson-write-indented":
        return lambda: orjson.dumps(instance, option=orjson.OPT_INDENT_2)
    if mode == "msgspec-write":
        import msgspec

        return lambda: msgspec.json.encode(instance)
    if mode == "jsonschema-rs-validate":
        import jsonschema_rs

        validator = jsonschema_rs.Draft202012Validator(json.loads(schema.read_bytes()), validate_formats=True)

        def validate():
            if not validator.is_valid(instance):
                sys.exit("error: the data set does not validate")

        return validate
    sys.exit(f"error: no such mode: {mode}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("mode")
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("--schema", type=pathlib.Path)
    parser.add_argument("--gc-off", action="store_true")
    parser.add_argument("--once", action="store_true")
    options = parser.parse_args()
    run = prepare(options.mode, options.file.read_bytes(), options.schema)
    if options.gc_off:
        gc.disable()
    result = run()
    if options.once:
        return
    print("ready", flush=True)
    for _ in sys.stdin:
        # Released here, so that neither freeing nor a second copy counts.
        result = None
        start = time.perf_counter()
        result = run()
        print(time.perf_counter() - start, flush=True)


main()
