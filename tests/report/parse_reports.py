#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Reads example reports with Python's standard parsers: parse_reports.py PROGRAM, where PROGRAM writes them to a folder."""

import csv
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

ODD_NAME = 'a,"b" <c> & d:e|{f}\n'
FRAMES = {"plain": [0, 1], "hostile": [10, 12, 14], "empty": []}
ROWS = {
    "plain": {"integer_motion2": [0.0, 3.8953515], "vmaf": [75.25, 80.5]},
    "hostile": {
        "psnr_y": [math.inf, -math.inf, math.nan],
        "late": [None, 2.5, 3.5],
        ODD_NAME: [1.0, 2.0, 3.0],
        "vmaf": [90.0, None, None],
        "vmaf#2": [91.0, 92.0, 93.0],
        "frameNum": [4.0, 5.0, 6.0],
        "xmlns": [7.0, 8.0, 9.0],
    },
    "empty": {},
}
TOLERANCE = {"legacy": 5e-7, "max": 0.0, "digits": 5e-4}
WORDS = {"infinite": math.inf, "negative infinite": -math.inf, "not a number": math.nan}


def reject_constant(word):
    raise ValueError(f"{word} is not JSON")


def same(found, expected, tolerance):
    if found is None or expected is None:
        return found is expected
    if math.isnan(expected):
        return math.isnan(found)
    if math.isinf(expected):
        return found == expected
    return abs(found - expected) <= tolerance * max(1.0, abs(expected))


def unescape_name(name):
    return re.sub(r"_x([0-9A-F]{4}(?:[0-9A-F]{4})?)_", lambda match: chr(int(match.group(1), 16)), name)


def rows_of_xml(path):
    root = ElementTree.parse(path).getroot()
    assert root.tag == "VMAF", root.tag
    rows = {}
    for frame in root.find("frames"):
        rows[int(frame.attrib["frameNum"])] = {
            unescape_name(name): float(value) for name, value in frame.attrib.items() if name != "frameNum"
        }
    metrics = [metric.attrib["name"] for metric in root.find("pooled_metrics")]
    assert root.find("aggregate_metrics") is not None
    return rows, metrics


def rows_of_json(path):
    report = json.loads(path.read_text(encoding="utf-8"), parse_constant=reject_constant)
    rows = {}
    for frame in report["frames"]:
        reasons = frame.get("reasons", {})
        values = frame["metrics"]
        assert set(reasons) == {name for name, value in values.items() if value is None}, frame
        rows[frame["frameNum"]] = {
            name: WORDS[reasons[name]] if value is None else float(value) for name, value in values.items()
        }
    assert report["schema"] == "lockstep-report-1"
    return rows, list(report["pooled_metrics"])


def rows_of_csv(path):
    with open(path, newline="", encoding="utf-8") as file:
        lines = list(csv.reader(file, strict=True))
    header = lines[0]
    assert header[0] == "Frame" and header[-1] == "", header
    rows = {}
    for line in lines[1:]:
        assert len(line) == len(header), line
        rows[int(line[0])] = {name: float(text) for name, text in zip(header[1:-1], line[1:-1]) if text}
    return rows, header[1:-1]


def check_sub(path, name):
    lines = path.read_text(encoding="utf-8").splitlines()
    assert len(lines) == len(FRAMES[name]), lines
    for line, frame in zip(lines, FRAMES[name]):
        assert re.fullmatch(r"\{%d\}\{%d\}frame: %d\|(?:[^|{}]+: [-+.0-9a-z]+\|)+" % (frame, frame + 1, frame), line), line


def main():
    readers = {"xml": rows_of_xml, "json": rows_of_json, "csv": rows_of_csv}
    checked = 0
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.argv[1], folder], check=True)
        for name, expected in ROWS.items():
            for numbers, tolerance in TOLERANCE.items():
                for suffix, reader in readers.items():
                    path = pathlib.Path(folder) / f"{name}-{numbers}.{suffix}"
                    rows, columns = reader(path)
                    assert columns == list(expected), (path.name, columns)
                    assert list(rows) == FRAMES[name], (path.name, list(rows))
                    for column, values in expected.items():
                        for frame, value in zip(FRAMES[name], values):
                            found = rows[frame].get(column)
                            assert same(found, value, tolerance), (path.name, frame, column, found, value)
                            checked += 1
                check_sub(pathlib.Path(folder) / f"{name}-{numbers}.sub", name)
    assert checked == 3 * 3 * (2 * 2 + 3 * 7), checked
    print(f"{checked} values read back")


if __name__ == "__main__":
    main()
