#!/usr/bin/env python3
"""Make cases in the shapes of sourcemeta-research/jsonschema-benchmark: a folder each, with schema.json and instances.jsonl."""

import json
import pathlib
import random
import sys

DRAFT4 = "http://json-schema.org/draft-04/schema#"
DRAFT7 = "http://json-schema.org/draft-07/schema#"
DRAFT2020 = "https://json-schema.org/draft/2020-12/schema"


def flat_options(rng):
    """A linter's configuration: many optional members of small types."""
    kinds = [{"type": "boolean"}, {"type": "integer"}, {"type": ["boolean", "string"], "enum": [True, False, "all", "none"]}]
    names = [f"option{number}" for number in range(90)]
    schema = {"$schema": DRAFT4, "id": "https://example.org/options", "type": "object"}
    schema["properties"] = {name: {**kinds[i % 3], "description": "An option."} for i, name in enumerate(names)}
    values = [lambda: rng.random() < 0.5, lambda: rng.randrange(100), lambda: rng.choice([True, "all", "none"])]
    for _ in range(1500):
        chosen = rng.sample(range(90), rng.randrange(4, 30))
        yield schema, {names[i]: values[i % 3]() for i in chosen}


def pipeline(rng):
    """A build pipeline: references, alternatives by type, names by pattern."""
    schema = {
        "$schema": DRAFT7,
        "type": "object",
        "required": ["jobs"],
        "additionalProperties": False,
        "properties": {"name": {"type": "string"}, "env": {"$ref": "#/definitions/env"}, "jobs": {"$ref": "#/definitions/jobs"}},
        "definitions": {
            "env": {"type": "object", "additionalProperties": {"type": ["string", "number", "boolean"]}},
            "expression": {"type": "string", "pattern": "^\\$\\{\\{(.|[\r\n])*\\}\\}$"},
            "jobs": {"type": "object", "patternProperties": {"^[_a-zA-Z][a-zA-Z0-9_-]*$": {"$ref": "#/definitions/job"}},
                     "additionalProperties": False},
            "job": {"oneOf": [{"$ref": "#/definitions/steps"}, {"$ref": "#/definitions/call"}]},
            "call": {"type": "object", "required": ["uses"], "additionalProperties": False,
                     "properties": {"uses": {"type": "string", "pattern": "^(.+/)+(.+)\\.(ya?ml)(@.+)?$"}}},
            "steps": {"type": "object", "required": ["runs-on", "steps"], "properties": {
                "runs-on": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}, "minItems": 1}]},
                "if": {"anyOf": [{"$ref": "#/definitions/expression"}, {"type": "string"}, {"type": "boolean"}]},
                "steps": {"type": "array", "minItems": 1, "items": {"$ref": "#/definitions/step"}}}},
            "step": {"type": "object", "dependencies": {"shell": ["run"]}, "anyOf": [{"required": ["uses"]}, {"required": ["run"]}],
                     "properties": {"uses": {"type": "string"}, "run": {"type": "string"}, "shell": {"type": "string"},
                                    "with": {"$ref": "#/definitions/env"}, "env": {"$ref": "#/definitions/env"},
                                    "timeout": {"type": "integer", "minimum": 1}}, "additionalProperties": False},
        },
    }

    def step():
        if rng.random() < 0.5:
            return {"run": "make test" * rng.randrange(1, 5), "shell": "bash", "timeout": rng.randrange(1, 60)}
        return {"uses": "actions/checkout@v4", "with": {"depth": rng.randrange(9), "lfs": True}}

    for _ in range(400):
        jobs = {f"job-{n}": {"runs-on": rng.choice(["linux", ["self", "x64"]]), "if": "${{ always() }}",
                             "steps": [step() for _ in range(rng.randrange(1, 9))]} for n in range(rng.randrange(1, 5))}
        jobs["deploy"] = {"uses": "org/repo/.ci/deploy.yml@main"}
        yield schema, {"name": "build", "env": {"A": "1"}, "jobs": jobs}


def geometry(rng):
    """Maps: deep arrays of numbers behind alternatives that a constant tells apart."""
    point = {"type": "array", "minItems": 2, "items": {"type": "number"}}
    shapes = {"Point": point, "LineString": {"type": "array", "minItems": 2, "items": point},
              "Polygon": {"type": "array", "items": {"type": "array", "minItems": 4, "items": point}}}
    branches = [{"type": "object", "required": ["type", "coordinates"],
                 "properties": {"type": {"enum": [name]}, "coordinates": shape}} for name, shape in shapes.items()]
    feature = {"type": "object", "required": ["type", "properties", "geometry"],
               "properties": {"type": {"enum": ["Feature"]}, "properties": {"oneOf": [{"type": "null"}, {"type": "object"}]},
                              "geometry": {"oneOf": [{"type": "null"}, *branches]}}}
    schema = {"$schema": DRAFT7, "type": "object", "required": ["features"],
              "properties": {"features": {"type": "array", "items": feature}}}

    def pair():
        return [round(rng.uniform(-180, 180), 6), round(rng.uniform(-90, 90), 6)]

    for _ in range(150):
        features = []
        for _ in range(rng.randrange(1, 12)):
            ring = [pair() for _ in range(rng.randrange(4, 60))]
            geometry = rng.choice([{"type": "Point", "coordinates": pair()}, {"type": "LineString", "coordinates": ring},
                                   {"type": "Polygon", "coordinates": [ring]}])
            features.append({"type": "Feature", "properties": {"name": "x"}, "geometry": geometry})
        yield schema, {"type": "FeatureCollection", "features": features}


def interface(rng):
    """An interface description: schemas in 2020-12 with references, inheritance and unevaluated members."""
    schema = {
        "$schema": DRAFT2020, "$ref": "#/$defs/document",
        "$defs": {
            "base": {"type": "object", "properties": {"summary": {"type": "string"}, "description": {"type": "string"}},
                     "patternProperties": {"^x-": True}},
            "document": {"$ref": "#/$defs/base", "required": ["version", "paths"], "properties": {
                "version": {"type": "string", "pattern": "^3\\.1\\.\\d+(-.+)?$"},
                "paths": {"type": "object", "propertyNames": {"pattern": "^/"}, "additionalProperties": {"$ref": "#/$defs/path"}}},
                "unevaluatedProperties": False},
            "path": {"$ref": "#/$defs/base", "properties": {m: {"$ref": "#/$defs/operation"} for m in ("get", "put", "post")},
                     "unevaluatedProperties": False},
            "operation": {"$ref": "#/$defs/base", "required": ["responses"], "properties": {
                "tags": {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
                "parameters": {"type": "array", "items": {"$ref": "#/$defs/parameter"}},
                "responses": {"type": "object", "minProperties": 1,
                              "patternProperties": {"^[1-5](?:[0-9]{2}|XX)$": {"$ref": "#/$defs/base"}}}},
                "unevaluatedProperties": False},
            "parameter": {"$ref": "#/$defs/base", "required": ["name", "in"],
                          "properties": {"name": {"type": "string"}, "in": {"enum": ["query", "path", "header"]},
                                         "required": {"type": "boolean"}},
                          "if": {"properties": {"in": {"const": "path"}}}, "then": {"required": ["required"]},
                          "unevaluatedProperties": False},
        },
    }
    for _ in range(150):
        paths = {}
        for number in range(rng.randrange(1, 12)):
            parameters = [{"name": f"p{i}", "in": rng.choice(["query", "path"]), "required": True} for i in range(rng.randrange(4))]
            operation = {"summary": "s", "tags": ["a", "b"], "parameters": parameters,
                         "responses": {"200": {"description": "ok"}, "4XX": {"description": "bad"}}}
            paths[f"/things/{number}"] = {method: operation for method in rng.sample(["get", "put", "post"], 2)}
        yield schema, {"version": "3.1.0", "paths": paths, "x-owner": 1}


def records(rng):
    """A list of people: formats left as notes, bounds, required members."""
    person = {"type": "object", "required": ["id", "name", "mail"], "additionalProperties": False, "properties": {
        "id": {"type": "integer", "minimum": 1}, "name": {"type": "string", "minLength": 1, "maxLength": 80},
        "mail": {"type": "string", "pattern": "^[^@\\s]+@[^@\\s]+$"}, "age": {"type": ["integer", "null"], "maximum": 150},
        "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 8}}}
    schema = {"$schema": DRAFT2020, "type": "array", "items": person}
    for _ in range(60):
        people = [{"id": i + 1, "name": "Ann Example", "mail": f"ann{i}@example.org", "age": rng.choice([None, 33]),
                   "tags": ["x"] * rng.randrange(5)} for i in range(rng.randrange(10, 120))]
        yield schema, people


CASES = (flat_options, pipeline, geometry, interface, records)


def generate(folder, seed=1):
    """Write all cases below a folder; the same seed gives the same bytes."""
    for case in CASES:
        target = pathlib.Path(folder) / case.__name__.replace("_", "-")
        target.mkdir(parents=True, exist_ok=True)
        pairs = list(case(random.Random(seed)))
        (target / "schema.json").write_text(json.dumps(pairs[0][0], indent=2))
        (target / "instances.jsonl").write_text("".join(json.dumps(instance) + "\n" for _, instance in pairs))


if __name__ == "__main__":
    generate(sys.argv[1])
