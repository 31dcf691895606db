"""A rival in Python: prints the nanoseconds that schema-bench prints, for one library and one case."""

import gc
import json
import statistics
import sys
import time

ROUNDS = 20


def timed(action):
    start = time.perf_counter_ns()
    result = action()
    return time.perf_counter_ns() - start, result


def compiled(library, schema):
    """A function that says whether an instance is valid."""
    if library == "jsonschema-rs":
        import jsonschema_rs

        return jsonschema_rs.validator_for(schema, validate_formats=False).is_valid
    if library == "jsonschema":
        import jsonschema

        return jsonschema.validators.validator_for(schema)(schema).is_valid
    import fastjsonschema

    validate = fastjsonschema.compile(schema, use_formats=False)

    def is_valid(instance):
        try:
            validate(instance)
        except fastjsonschema.JsonSchemaException:
            return False
        return True

    return is_valid


def main(library, schema_path, path):
    gc.disable()
    rounds = 3 if library == "jsonschema" else ROUNDS
    try:
        import orjson

        loads = orjson.loads
    except ImportError:
        loads = json.loads
    with open(schema_path, "rb") as file:
        schema = loads(file.read())
    with open(path, "rb") as file:
        lines = file.read().splitlines()
    compile_time, is_valid = timed(lambda: compiled(library, schema))
    instances = [loads(line) for line in lines]
    cold, valid = timed(lambda: all([is_valid(instance) for instance in instances]))

    def median(action):
        return int(statistics.median(timed(action)[0] for _ in range(rounds)))

    warm = median(lambda: [is_valid(instance) for instance in instances])
    parse = median(lambda: [loads(line) for line in lines])
    both = median(lambda: [is_valid(loads(line)) for line in lines])
    print(f"{cold},{warm},{compile_time},{parse},{both}")
    if not valid:
        sys.exit("error: an instance is not valid")


if __name__ == "__main__":
    main(*sys.argv[1:])
