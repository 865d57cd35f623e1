#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Make deterministic reference/distorted raw video pairs for score tests.

Only integer arithmetic is used (a counter-based splitmix64 generator written
out below, box sums, shifts), so the bytes are the same on every machine with
python3 and numpy.  Each pair is described by one recipe (a JSON object):

  id       file stem; files are <id>_ref.yuv and <id>_dis.yuv
  w h      luma size
  fmt      420 | 422 | 444 | 400 (chroma planes are rounded UP when odd)
  depth    8..16; 8-bit samples take one byte, deeper ones two (little endian)
  frames   number of frames
  content  one of the kinds listed by --kinds
  seed     integer
  args     optional object of content parameters

Examples:
  make_synthetic.py --out clips                     all recipes of synthetic.json
  make_synthetic.py --out clips --only 'checker*'
  make_synthetic.py --out clips --max-mpix 3        skip pairs above 3 Mpixel in all
  make_synthetic.py --out clips --verify synthetic.sha256
  make_synthetic.py --out clips --manifest synthetic.sha256   (re)write the manifest
"""
import argparse, fnmatch, hashlib, json, os, sys
import numpy as np

U = np.uint64
M64 = (1 << 64) - 1


def mix(z):
    """splitmix64 finaliser on a uint64 array (wraps modulo 2**64)."""
    z = (z ^ (z >> U(30))) * U(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> U(27))) * U(0x94D049BB133111EB)
    return z ^ (z >> U(31))


def imix(*keys):
    """The same finaliser folded over python ints: one 64-bit key."""
    h = 0x9E3779B97F4A7C15
    for k in keys:
        z = (h + (k & M64) * 0x9E3779B97F4A7C15 + 0x632BE59BD9B4E019) & M64
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & M64
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & M64
        h = z ^ (z >> 31)
    return h


def rnd(shape, *keys):
    """Array of 64-bit pseudo random numbers that depends only on keys."""
    n = int(np.prod(shape))
    with np.errstate(over="ignore"):
        z = np.arange(1, n + 1, dtype=U) * U(0x9E3779B97F4A7C15) + U(imix(*keys))
        return mix(z).reshape(shape)


def noise(shape, bits, *keys):
    """Uniform integers 0 .. 2**bits-1."""
    return (rnd(shape, *keys) >> U(64 - bits)).astype(np.int64)


def grain(shape, amp, *keys):
    """Bell shaped integer noise in about [-2*amp, 2*amp] (sum of four uniforms)."""
    z = rnd(shape, *keys)
    s = np.zeros(shape, np.int64)
    for k in range(4):
        s += ((z >> U(16 * k)) & U(0xFFFF)).astype(np.int64) - 32768
    return (s * amp) >> 16


def value_noise(h, w, ox, oy, cell_log2, *keys):
    """16-bit value noise with a lattice of 2**cell_log2, origin moved by (ox, oy)."""
    c = 1 << cell_log2
    x = np.arange(w, dtype=np.int64) + ox
    y = np.arange(h, dtype=np.int64) + oy
    x0, y0 = x >> cell_log2, y >> cell_log2
    bx, by = int(x0[0]), int(y0[0])
    nx, ny = int(x0[-1]) - bx + 2, int(y0[-1]) - by + 2
    gx = (np.arange(nx, dtype=np.int64) + bx).astype(U)
    gy = (np.arange(ny, dtype=np.int64) + by).astype(U)
    with np.errstate(over="ignore"):
        g = mix(mix(gy * U(0x9E3779B97F4A7C15) + U(imix(*keys)))[:, None]
                + (gx * U(0xD1B54A32D192ED03))[None, :])
    g = (g >> U(48)).astype(np.int64)
    fx = ((x & (c - 1)) << (8 - cell_log2)) if cell_log2 <= 8 else ((x & (c - 1)) >> (cell_log2 - 8))
    fy = ((y & (c - 1)) << (8 - cell_log2)) if cell_log2 <= 8 else ((y & (c - 1)) >> (cell_log2 - 8))
    ix, iy = x0 - bx, y0 - by
    a, b = g[iy][:, ix], g[iy][:, ix + 1]
    d, e = g[iy + 1][:, ix], g[iy + 1][:, ix + 1]
    fx, fy = fx[None, :], fy[:, None]
    top = a * (256 - fx) + b * fx
    bot = d * (256 - fx) + e * fx
    return (top * (256 - fy) + bot * fy) >> 16


def texture(h, w, ox, oy, *keys):
    """Moving 16-bit texture: five octaves of value noise."""
    s = np.zeros((h, w), np.int64)
    for k, (cell, wt) in enumerate(((7, 12), (5, 9), (4, 6), (2, 3), (1, 2))):
        s += value_noise(h, w, ox, oy, cell, k, *keys) * wt
    return s >> 5


def box(a, r):
    """Box mean with radius r, edges repeated, rounded to nearest."""
    if r <= 0:
        return a
    n = 2 * r + 1
    for axis in (0, 1):
        pad = [(0, 0), (0, 0)]
        pad[axis] = (r + 1, r)
        c = np.cumsum(np.pad(a, pad, mode="edge"), axis=axis)
        hi = [slice(None), slice(None)]
        lo = [slice(None), slice(None)]
        hi[axis], lo[axis] = slice(n, None), slice(0, a.shape[axis])
        a = (c[tuple(hi)] - c[tuple(lo)] + n // 2) // n
    return a


def to_depth(a16, depth):
    """16-bit range to depth bits with rounding and clipping."""
    s = 16 - depth
    if s:
        a16 = (a16 + (1 << (s - 1))) >> s
    return np.clip(a16, 0, (1 << depth) - 1)


# ---- contents: each returns (ref, dis) int64 planes in 0 .. 2**depth-1 -------
def c_noise(r, f, p, h, w, d):
    return noise((h, w), d, r["seed"], 1, f, p), noise((h, w), d, r["seed"], 2, f, p)


def c_noise_add(r, f, p, h, w, d):
    a = noise((h, w), d, r["seed"], 1, f, p)
    amp = r["args"].get("amp", 8) << (d - 8)
    return a, np.clip(a + grain((h, w), amp, r["seed"], 2, f, p), 0, (1 << d) - 1)


def c_ramp(r, f, p, h, w, d):
    y, x = np.mgrid[0:h, 0:w].astype(np.int64)
    base = (x * 65535 // max(1, w - 1) * 3 + y * 65535 // max(1, h - 1)) // 4
    if p:
        base = 65535 - base
    base = (base + f * 700) & 0xFFFF
    amp = r["args"].get("amp", 1200)
    a = np.clip(base + grain((h, w), amp, r["seed"], 1, f, p), 0, 65535)
    b = np.clip(base + grain((h, w), 2 * amp, r["seed"], 2, f, p), 0, 65535)
    return to_depth(a, d), to_depth(b, d)


def c_checker(r, f, p, h, w, d):
    sq = r["args"].get("square", 8)
    dx, dy = r["args"].get("dx", 1), r["args"].get("dy", 0)
    lo, hi = r["args"].get("lo", 0), r["args"].get("hi", 255)
    lo, hi = ((v << (d - 8)) | (v >> (16 - d) if d > 8 else 0) for v in (lo, hi))
    mx = r["args"].get("move", 0) * f
    y, x = np.mgrid[0:h, 0:w].astype(np.int64)
    if p:
        m = np.full((h, w), 1 << (d - 1), np.int64)
        return m, m
    a = np.where((((x + mx) // sq + y // sq) & 1) == 1, hi, lo)
    b = np.where((((x + mx - dx) // sq + (y - dy) // sq) & 1) == 1, hi, lo)
    return a, b


def c_flat(r, f, p, h, w, d):
    a, b = r["args"].get("ref", 128), r["args"].get("dis", 128)
    st = r["args"].get("step", 0) * f
    m = (1 << d) - 1
    return (np.full((h, w), min(m, (a + st) << (d - 8)), np.int64),
            np.full((h, w), min(m, (b + st) << (d - 8)), np.int64))


def c_extreme(r, f, p, h, w, d):
    """black/white: mode 0 ref black dis white; 1 alternating frames; 2 random black or white pixels;
    3 white frame against black dots; 4 alternating rows"""
    m, mode = (1 << d) - 1, r["args"].get("mode", 0)
    z, o = np.zeros((h, w), np.int64), np.full((h, w), m, np.int64)
    if mode == 0:
        return z, o
    if mode == 1:
        return (o, z) if f & 1 else (z, o)
    if mode == 2:
        return noise((h, w), 1, r["seed"], 1, f, p) * m, noise((h, w), 1, r["seed"], 2, f, p) * m
    if mode == 3:
        return o, np.where(noise((h, w), 5, r["seed"], 2, f, p) == 0, 0, m)
    y = (np.arange(h, dtype=np.int64)[:, None] + f) & 1
    return y * m + z, (1 - y) * m + z


def c_band(r, f, p, h, w, d):
    """Slow gradients; the distorted side is quantised coarsely so that it bands."""
    y, x = np.mgrid[0:h, 0:w].astype(np.int64)
    span, lo = r["args"].get("span", 16000), r["args"].get("lo", 8000)
    q = r["args"].get("q", 4)
    base = lo + (x * span // max(1, w) + (y * span // max(1, h)) // 2 + f * 90)
    rad = ((x - w // 2) ** 2 + (y - h // 2) ** 2) * span // max(1, w * w + h * h)
    base = base + rad + value_noise(h, w, 0, 0, 7, r["seed"], 9, p) // 24
    a = np.clip(base + grain((h, w), 90, r["seed"], 1, f, p), 0, 65535)
    b = to_depth(np.clip(base, 0, 65535), d)
    return to_depth(a, d), (b // q) * q


def c_texture(r, f, p, h, w, d):
    g = r["args"]
    vx, vy = g.get("vx", 3), g.get("vy", -2)
    seed = r["seed"] + (f // g["cut"] if g.get("cut") else 0)
    s = texture(h, w, 1000 + vx * f, 1000 + vy * f, seed, p)
    if p:
        s = 32768 + (s - 32768) // 3
    gain = g.get("gain", 256)
    s = np.clip(32768 + ((s - 32768) * gain >> 7), 0, 65535)
    a = s + grain((h, w), g.get("grain", 0), r["seed"], 1, 0 if g.get("still") else f, p) if g.get("grain") else s
    b = box(s, g.get("blur", 1))
    if g.get("sharp"):
        b = s + ((s - b) * g["sharp"] >> 4)
    if g.get("contrast"):
        b = 32768 + ((b - 32768) * g["contrast"] >> 8)
    if g.get("quant"):
        qq = g["quant"] << 8
        b = (b // qq) * qq + qq // 2
    if g.get("noise"):
        b = b + grain((h, w), g["noise"], r["seed"], 2, f, p)
    return to_depth(np.clip(a, 0, 65535), d), to_depth(np.clip(b, 0, 65535), d)


def c_same(r, f, p, h, w, d):
    a = c_texture(r, f, p, h, w, d)[0]
    return a, a


def c_still(r, f, p, h, w, d):
    """The same pair of frames repeated (no motion at all)."""
    return c_texture(r, 0, p, h, w, d)


def c_flicker(r, f, p, h, w, d):
    """A still texture that brightens and darkens; single odd frames."""
    a, b = c_texture(r, 0, p, h, w, d)
    m, k = (1 << d) - 1, (0, 3, 0, 40, 0, 0, -25, 1)[f & 7] << (d - 8)
    return np.clip(a + k, 0, m), np.clip(b + k // 2, 0, m)


KINDS = {k[2:]: v for k, v in list(globals().items()) if k.startswith("c_")}


def planes(r):
    w, h, out = r["w"], r["h"], []
    out.append((h, w))
    if r["fmt"] != 400:
        cw = w if r["fmt"] == 444 else (w + 1) // 2
        ch = (h + 1) // 2 if r["fmt"] == 420 else h
        out += [(ch, cw), (ch, cw)]
    return out


def make(r, out):
    r = dict(r, args=r.get("args", {}))
    dt = np.uint8 if r["depth"] == 8 else np.dtype("<u2")
    names = [os.path.join(out, r["id"] + s) for s in ("_ref.yuv", "_dis.yuv")]
    sha = [hashlib.sha256(), hashlib.sha256()]
    fh = [open(n + ".part", "wb") for n in names]
    for f in range(r["frames"]):
        for p, (h, w) in enumerate(planes(r)):
            for k, a in enumerate(KINDS[r["content"]](r, f, p, h, w, r["depth"])):
                assert a.shape == (h, w) and a.min() >= 0 and a.max() < (1 << r["depth"]), r["id"]
                b = a.astype(dt).tobytes()
                sha[k].update(b)
                fh[k].write(b)
    for k in (0, 1):
        fh[k].close()
        os.replace(names[k] + ".part", names[k])
    return [(os.path.basename(n), s.hexdigest()) for n, s in zip(names, sha)]


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--out", help="folder the clips are written to")
    ap.add_argument("--recipes", default=os.path.join(here, "synthetic.json"), help="recipe file (default: synthetic.json next to this script)")
    ap.add_argument("--only", action="append", help="glob on the recipe id; may be repeated")
    ap.add_argument("--max-mpix", type=float, help="skip pairs with more than this many million luma pixels in all frames")
    ap.add_argument("--manifest", help="write 'sha256  file' lines here")
    ap.add_argument("--verify", help="compare the made files with this manifest")
    ap.add_argument("--list", action="store_true", help="print the recipes and stop")
    ap.add_argument("--kinds", action="store_true", help="print the content kinds and stop")
    a = ap.parse_args()
    if a.kinds:
        for k, v in KINDS.items():
            print(k, "-", (v.__doc__ or "").strip())
        return 0
    with open(a.recipes) as f:
        rec = json.load(f)
    if a.only:
        rec = [r for r in rec if any(fnmatch.fnmatch(r["id"], g) for g in a.only)]
    if a.max_mpix is not None:
        rec = [r for r in rec if r["w"] * r["h"] * r["frames"] <= a.max_mpix * 1e6]
    if a.list:
        for r in rec:
            print(json.dumps(r))
        return 0
    if not a.out:
        ap.error("--out is needed")
    os.makedirs(a.out, exist_ok=True)
    want = {}
    if a.verify:
        with open(a.verify) as f:
            want = {n: s for s, n in (x.split() for x in f)}
    got, bad = [], 0
    for r in rec:
        for n, s in make(r, a.out):
            got.append((n, s))
            if a.verify and want.get(n) != s:
                bad += 1
                print("MISMATCH", n, s, "expected", want.get(n))
    if a.manifest:
        with open(a.manifest, "w") as f:
            f.writelines(f"{s}  {n}\n" for n, s in got)
    print(f"{len(got)} files" + (f", {bad} differ from {a.verify}" if a.verify else ""))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
