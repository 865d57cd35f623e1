#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Makes tests/golden/*.json smaller: keeps what the tests compare, one case a line, numbers exactly as written.

libvmaf's scores come as JSON files written with %.17g (see tests/golden/README.md). This tool drops what no test
reads (the agreement between libvmaf's own builds, its log lines) and writes the rest without spaces. A series of scores
that an earlier case of the same clip has too is written as "=ID" of that case. A number is never parsed and printed
again: its digits are copied as text.
"""
import argparse
import json
import os
import sys

DROPPED = {"agree", "log", "peer_memory_error", "depends_on_uninitialised_memory"}
# Pooling of single metrics is tested on the other groups.
WITHOUT_POOLED = ("adm", "float_adm", "float_vif", "float_moment", "speed_", "cambi", "model_vmaf_float_", "model_vmaf_v1")


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


def refer(case, first_case_of):
    """The case with "=ID" for every series that a case before it has under the same name for the same clip."""
    scores = {}
    for key, series in case.get("scores", {}).items():
        text = dump(series)
        first = first_case_of.setdefault((case["clip"], key, text), case["id"])
        reference = "=" + first
        scores[key] = reference if first != case["id"] and len(text) > len(reference) + 2 else series
    return {**case, "scores": scores} if scores else case


def shrink(source, target, dropped, first_case_of):
    with open(source, encoding="utf-8") as file:
        data = json.load(file, parse_float=Digits)
    cases = [{k: v for k, v in case.items() if k not in dropped} for case in data["cases"]]
    head = {k: v for k, v in data.items() if k != "cases"}
    lines = [dump(refer(case, first_case_of)) for case in cases]
    with open(target, "w", encoding="utf-8") as file:
        file.write(dump(head)[:-1] + ',"cases":[\n' + ",\n".join(lines) + "\n]}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", help="folder with the full files")
    parser.add_argument("target", help="folder that gets the small ones")
    parser.add_argument("group", nargs="+", 
                        help="file stems, e.g. vif model_vmaf_v0.6.1; all in one call, because later ones refer to earlier")
    arguments = parser.parse_args()
    first_case_of = {}
    for group in arguments.group:
        shrink(os.path.join(arguments.source, group + ".json"), os.path.join(arguments.target, group + ".json"),
               DROPPED | ({"pooled"} if group.startswith(WITHOUT_POOLED) else set()), first_case_of)
    return 0


if __name__ == "__main__":
    sys.exit(main())
