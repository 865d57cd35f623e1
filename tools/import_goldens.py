#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Makes tests/golden/*.json smaller: keeps what the tests compare, one case a line, numbers exactly as written.

libvmaf's scores come as JSON files written with %.17g (see tests/golden/README.md). This tool drops what no test
reads (the agreement between libvmaf's own builds, its log lines) and writes the rest without spaces. A number is
never parsed and printed again: its digits are copied as text.
"""
import argparse
import json
import os
import sys

DROPPED = {"agree", "log", "peer_memory_error", "depends_on_uninitialised_memory"}


class Digits(float):
    """A float that remembers the text it was read from."""

    def __new__(cls, text):
        number = super().__new__(cls, text)
        number.text = text
        return number


def dump(value):
    if isinstance(value, Digits):
        return value.text
    if isinstance(value, dict):
        return "{" + ",".join(json.dumps(k) + ":" + dump(v) for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(dump(v) for v in value) + "]"
    return json.dumps(value)


def shrink(source, target, dropped):
    with open(source, encoding="utf-8") as file:
        data = json.load(file, parse_float=Digits)
    cases = [{k: v for k, v in case.items() if k not in dropped} for case in data["cases"]]
    head = {k: v for k, v in data.items() if k != "cases"}
    with open(target, "w", encoding="utf-8") as file:
        file.write(dump(head)[:-1] + ',"cases":[\n' + ",\n".join(dump(case) for case in cases) + "\n]}\n")
    with open(source, encoding="utf-8") as a, open(target, encoding="utf-8") as b:
        kept = [{k: v for k, v in case.items() if k not in dropped} for case in json.load(a)["cases"]]
        assert json.load(b)["cases"] == kept, source


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", help="folder with the full files")
    parser.add_argument("target", help="folder that gets the small ones")
    parser.add_argument("--drop", action="append", default=[], metavar="FIELD", help="leave this field out of each case too")
    parser.add_argument("group", nargs="+", help="file stems, e.g. vif model_vmaf_v0.6.1")
    arguments = parser.parse_args()
    for group in arguments.group:
        shrink(os.path.join(arguments.source, group + ".json"), os.path.join(arguments.target, group + ".json"),
               DROPPED | set(arguments.drop))
    return 0


if __name__ == "__main__":
    sys.exit(main())
