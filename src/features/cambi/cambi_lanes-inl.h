// SPDX-License-Identifier: BSD-2-Clause-Patent
// cambi's passes on lanes; read once for each target.
#if defined(LOCKSTEP_FEATURES_CAMBI_CAMBI_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCKSTEP_FEATURES_CAMBI_CAMBI_LANES_INL_H_
#undef LOCKSTEP_FEATURES_CAMBI_CAMBI_LANES_INL_H_
#else
#define LOCKSTEP_FEATURES_CAMBI_CAMBI_LANES_INL_H_
#endif

#include <algorithm>
#include <bit>
#include <type_traits>

#include "features/cambi/cambi_simd.h"
#include "lanes/highway_lane-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep {
namespace HWY_NAMESPACE {
namespace {

// Values of 16 bits in a register.
template <class L>
inline constexpr i32 kCambiBlock = 2 * L::N;

// ---- Filters. Rows are written in whole registers; what is behind the last column is never used.

template <class L>
LOCKSTEP_LANE_INLINE typename L::I16 CambiModeOnLanes(typename L::I16 a, typename L::I16 b, typename L::I16 c) {
  const auto least = L::Min16(L::Min16(a, b), c);
  const auto a_twice = L::Or16(L::Eq16(a, b), L::Eq16(a, c));
  return L::Select16(a_twice, a, L::Select16(L::Eq16(b, c), b, least));
}

template <class L>
LOCKSTEP_LANE_INLINE typename L::I16 CambiCodeOnLanes(typename L::I16 marked) {
  return L::And16(marked, L::Set16(0x7fff));
}

/// The mode filter along a row.
template <class L>
LOCKSTEP_LANE_PASS void CambiRowModes(const u16* marked, i32 width, u16* out) {
  for (i32 x = 0; x < width; x += kCambiBlock<L>) {
    const auto left = CambiCodeOnLanes<L>(L::Load(marked + x - 1));
    const auto own = CambiCodeOnLanes<L>(L::Load(marked + x));
    const auto right = CambiCodeOnLanes<L>(L::Load(marked + x + 1));
    L::Store(CambiModeOnLanes<L>(left, own, right), out + x);
  }
  out[0] = marked[0] & 0x7fff;
  out[width - 1] = marked[width - 1] & 0x7fff;
}

/// The mode filter along columns, with the marks of the row.
template <class L>
LOCKSTEP_LANE_PASS void CambiColumnModes(const u16* above, const u16* own, const u16* below, const u16* marked,
                                         i32 width, u16* out) {
  for (i32 x = 0; x < width; x += kCambiBlock<L>) {
    const auto mode = CambiModeOnLanes<L>(L::Load(above + x), L::Load(own + x), L::Load(below + x));
    const auto mark = L::And16(L::Load(marked + x), L::Set16(-0x8000));
    L::Store(L::Or16(mode, mark), out + x);
  }
}

/// Every second pixel of a row.
template <class L>
LOCKSTEP_LANE_PASS void CambiDecimateRow(const u16* row, i32 width, u16* out) {
  for (i32 x = 0; x < width; x += kCambiBlock<L>) {
    const auto low = L::AsPairs(L::Load(row + 2 * x));
    const auto high = L::AsPairs(L::Load(row + 2 * x + kCambiBlock<L>));
    L::Store(L::Natural(L::PackLow(low, high)), out + x);
  }
}

template <class L>
LOCKSTEP_LANE_PASS void CambiCopyRow(const u16* row, i32 width, u16* out) {
  for (i32 x = 0; x < width; x += kCambiBlock<L>) L::Store(L::Load(row + x), out + x);
}

// Rows begin … end - 1 of a filtered plane; source(y, out) makes row y before the filter, and is asked for one row
// after the other.
template <class L, class Source>
LOCKSTEP_LANE_INLINE void CambiFilterBand(const CambiCodePlane& filtered, const CambiLineBuffers& lines, i32 begin,
                                          i32 end, const Source& source) {
  constexpr i32 kRing = 3;  // rows, as a mask
  const auto ring = [&](u16 * rows, i32 y) __attribute__((always_inline)) {
    return rows + (y & kRing) * lines.row_stride;
  };
  const i32 last = filtered.height - 1;
  i32 next = begin > 0 ? begin - 1 : 0;
  for (i32 y = begin; y < end; ++y) {
    for (; next <= last && next <= y + 1; ++next) {
      u16* const marked = ring(lines.marked, next);
      source(next, marked);
      CambiRowModes<L>(marked, filtered.width, ring(lines.modes, next));
    }
    if (y == 0 || y == last) {
      CambiCopyRow<L>(ring(lines.marked, y), filtered.width, filtered.Row(y));
    } else {
      CambiColumnModes<L>(ring(lines.modes, y - 1), ring(lines.modes, y), ring(lines.modes, y + 1),
                          ring(lines.marked, y), filtered.width, filtered.Row(y));
    }
  }
}

template <class L>
LOCKSTEP_LANE_INLINE void CambiNextScaleOnLanes(const CambiNextScaleArgs& args) {
  CambiFilterBand<L>(
      args.filtered, args.lines, args.begin, args.end, [&](i32 y, u16 * out) __attribute__((always_inline)) {
        CambiDecimateRow<L>(args.larger.Row(2 * y), args.filtered.width, out);
      });
}

// ---- From samples to marked codes.

/// Codes of samples with more than 10 bits: a shift that rounds halves up, as a shift that leaves one bit more and a
/// mean with 0.
template <class L, i32 kShift>
LOCKSTEP_LANE_PASS void CambiReduceRow(const u16* samples, i32 width, u16* codes) {
  for (i32 x = 0; x < width; x += kCambiBlock<L>) {
    L::Store(L::AverageU16(L::template Shr16<kShift - 1>(L::Load(samples + x)), L::Set16(0)), codes + x);
  }
}

template <class L, class Sample>
LOCKSTEP_LANE_PASS void CambiExpandRow(const Sample* samples, i32 width, i32 shift, u16* codes) {
  for (i32 x = 0; x < width; x += kCambiBlock<L>) L::Store(L::Shl16Same(L::Load(samples + x), shift), codes + x);
}

template <class L>
LOCKSTEP_LANE_PASS void CambiDitherRow(const u16* row, const u16* below, i32 width, u16* codes) {
  for (i32 x = 0; x < width; x += kCambiBlock<L>) {
    const auto sum = L::Add16(L::Add16(L::Load(row + x), L::Load(row + x + 1)),
                              L::Add16(L::Load(below + x), L::Load(below + x + 1)));
    L::Store(L::template Shr16<2>(sum), codes + x);
  }
}

/// 1 where a pixel is flat, 0 behind the last column; and the sum of it with those in the rows above.
template <class L>
LOCKSTEP_LANE_PASS void CambiAddFlatRow(const u16* row, const u16* below, i32 width, u16* flat, u16* sums) {
  for (i32 x = 0; x < width; x += kCambiBlock<L>) {
    const auto own = L::Load(row + x);
    const auto equal = L::And16(L::Eq16(own, L::Load(row + x + 1)), L::Eq16(own, L::Load(below + x)));
    const auto inside = L::First16(std::min(width - x, kCambiBlock<L>));
    const auto one = L::And16(L::And16(equal, inside), L::Set16(1));
    L::Store(one, flat + x);
    L::Store(L::Add16(L::Load(sums + x), one), sums + x);
  }
}

template <class L>
LOCKSTEP_LANE_PASS void CambiSubtractFlatRow(const u16* flat, i32 width, u16* sums) {
  for (i32 x = 0; x < width; x += kCambiBlock<L>) L::Store(L::Sub16(L::Load(sums + x), L::Load(flat + x)), sums + x);
}

template <class L>
LOCKSTEP_LANE_PASS void CambiMarkRow(const u16* codes, const u16* sums, i32 width, i32 threshold, u16* marked) {
  for (i32 x = 0; x < width; x += kCambiBlock<L>) {
    auto sum = L::Load(sums + x);
    LOCKSTEP_UNROLL
    for (i32 i = 1; i <= kCambiMaskRadius; ++i) {
      sum = L::Add16(sum, L::Add16(L::Load(sums + x - i), L::Load(sums + x + i)));
    }
    const auto is_outside = L::Gt16(L::Set16(static_cast<i16>(threshold + 1)), sum);
    L::Store(L::Or16(L::Load(codes + x), L::And16(is_outside, L::Set16(-0x8000))), marked + x);
  }
}

// Makes rows of marked codes at full resolution, each later than the one before.
template <class L, class Sample>
class CambiMaskRows {
 public:
  CambiMaskRows(const CambiFirstScaleArgs& args, i32 first_row) : args_(args) {
    next_flat_ = std::max(first_row - kCambiMaskRadius, 0);
    oldest_flat_ = next_flat_;
    next_code_ = next_flat_;
    next_sample_ = next_flat_;
    threshold_ = CambiMaskThreshold(args.width, args.height);
    std::fill_n(args.lines.sums - kCambiLead, args.lines.row_stride, u16{0});
  }

  void Make(i32 y, u16* marked) {
    const CambiLineBuffers& lines = args_.lines;
    for (; next_flat_ < args_.height && next_flat_ <= y + kCambiMaskRadius; ++next_flat_) {
      const i32 below = std::min(next_flat_ + 1, args_.height - 1);
      MakeCodes(below);
      CambiAddFlatRow<L>(Codes(next_flat_), Codes(below), args_.width, Ring(lines.flat, next_flat_), lines.sums);
    }
    for (; oldest_flat_ < y - kCambiMaskRadius; ++oldest_flat_) {
      CambiSubtractFlatRow<L>(Ring(lines.flat, oldest_flat_), args_.width, lines.sums);
    }
    CambiMarkRow<L>(Codes(y), lines.sums, args_.width, threshold_, marked);
  }

 private:
  u16* Ring(u16* rows, i32 y) const { return rows + (y & 15) * args_.lines.row_stride; }
  u16* Codes(i32 y) const { return Ring(args_.lines.codes, y); }

  // Codes of all rows up to y.
  void MakeCodes(i32 y) {
    for (; next_code_ <= y; ++next_code_) {
      u16* const codes = Codes(next_code_);
      if (args_.removes_dither) {
        const i32 below = std::min(next_code_ + 1, args_.height - 1);
        for (; next_sample_ <= below; ++next_sample_) Convert(next_sample_, Samples(next_sample_));
        CambiDitherRow<L>(Samples(next_code_), Samples(below), args_.width, codes);
      } else {
        Convert(next_code_, codes);
      }
      codes[args_.width] = codes[args_.width - 1];
    }
  }

  u16* Samples(i32 y) const { return args_.lines.samples + (y & 3) * args_.lines.row_stride; }

  // A copy of the last column stands behind it, and makes it equal to its neighbour.
  void Convert(i32 y, u16* codes) const {
    const i32 source = args_.rows == nullptr ? y : args_.rows[y];
    const Sample* const row = reinterpret_cast<const Sample*>(args_.samples + source * args_.stride_bytes);
    if (args_.columns != nullptr) {
      for (i32 x = 0; x < args_.width; ++x) codes[x] = CambiCode(row[args_.columns[x]], args_.bit_depth);
    } else {
      ConvertWholeRow(row, codes);
    }
    codes[args_.width] = codes[args_.width - 1];
  }

  void ConvertWholeRow(const Sample* row, u16* codes) const {
    if constexpr (sizeof(Sample) == 1) {
      CambiExpandRow<L>(row, args_.width, 2, codes);
    } else {
      switch (args_.bit_depth) {
        case 11:
          return CambiReduceRow<L, 1>(row, args_.width, codes);
        case 12:
          return CambiReduceRow<L, 2>(row, args_.width, codes);
        case 13:
          return CambiReduceRow<L, 3>(row, args_.width, codes);
        case 14:
          return CambiReduceRow<L, 4>(row, args_.width, codes);
        case 15:
          return CambiReduceRow<L, 5>(row, args_.width, codes);
        case 16:
          return CambiReduceRow<L, 6>(row, args_.width, codes);
        default:
          return CambiExpandRow<L>(row, args_.width, 10 - args_.bit_depth, codes);
      }
    }
  }

  const CambiFirstScaleArgs& args_;
  i32 next_flat_;    // the first row that is not in the sums yet
  i32 oldest_flat_;  // the first row that is in them
  i32 next_code_;
  i32 next_sample_;
  i32 threshold_;
};

template <class L, class Sample>
LOCKSTEP_LANE_INLINE void CambiFirstScaleOnLanes(const CambiFirstScaleArgs& args) {
  const i32 first_row = std::max(args.begin - 1, 0) * args.step;
  CambiMaskRows<L, Sample> rows(args, first_row);
  CambiFilterBand<L>(
      args.filtered, args.lines, args.begin, args.end, [&](i32 y, u16 * out) __attribute__((always_inline)) {
        if (args.step == 1) {
          rows.Make(y, out);
        } else {
          u16* const full = args.lines.full;
          rows.Make(y * args.step, full);
          CambiDecimateRow<L>(full, args.filtered.width, out);
        }
      });
}

// ---- Contrasts.

// Histograms of the windows in one strip of columns, moved down row by row.
template <class L>
class CambiStrip {
 public:
  CambiStrip(const CambiContrastArgs& args, i32 begin) : args_(args), reach_(args.window / 2), begin_(begin) {
    end_ = std::min(begin + kCambiStrip, args.marked.width);
    first_ = std::max(begin - reach_, 0);
    last_ = std::min(end_ + reach_, args.marked.width);
    ring_ = args.window + 1;
    total_ = L::SetD(0.0);
    positive_ = L::Set(0);
    least_ = L::Set(kInfinity);
  }

  CambiTotal Run() {
    const i32 height = args_.marked.height;
    i32 next = std::max(args_.begin - reach_, 0);
    i32 oldest = next;
    for (i32 y = args_.begin; y < args_.end; ++y) {
      for (; next < height && next <= y + reach_; ++next) {
        FindRuns(next);
        AddRow<false>(next);
      }
      for (; oldest < y - reach_; ++oldest) AddRow<true>(oldest);
      ContrastsOfRow(y);
    }
    // The next strip starts with histograms that are empty.
    for (; oldest < next; ++oldest) AddRow<true>(oldest);
    double sums[L::N];
    L::StoreD(total_, sums);
    i32 least[L::N];
    L::Store(least_, least);
    CambiTotal total;
    total.positive = L::Sum(positive_);
    for (const double sum : sums) total.sum += sum;
    for (const i32 bits : least) total.least = std::min(total.least, std::bit_cast<float>(bits));
    return total;
  }

 private:
  using I16 = typename L::I16;
  static constexpr i32 kInfinity = 0x7f800000;

  // Pixels outside the mask and codes that do not count become one code.
  LOCKSTEP_LANE_INLINE I16 CodesAt(const u16* p) const {
    const I16 code = L::Sub16(L::Load(p), L::Set16(static_cast<i16>(args_.codes.first)));
    // Marked codes are negative before the subtraction, and far from 0 after it.
    const I16 is_outside = L::Or16(L::Gt16(L::Set16(0), code),
                                   L::Gt16(code, L::Set16(static_cast<i16>(args_.codes.end - args_.codes.first - 1))));
    return L::Or16(code, is_outside);
  }

  struct RunRow {
    CambiRun* runs;
    i32 count;
  };

  LOCKSTEP_LANE_PASS void FindRuns(i32 y) {
    const u16* const row = args_.marked.Row(y);
    const i32 slot = y % ring_;
    CambiRun* const runs = args_.lines.runs + i64{slot} * kCambiStripRuns;
    i32 count = 0;
    i32 start = first_;
    i32 code = CodeOf(row[first_]);
    const auto close = [&](i32 end) __attribute__((always_inline)) {
      // Written always, kept only if it counts.
      runs[count] = {static_cast<u16>(start - first_), static_cast<u16>(end - start), static_cast<u16>(code)};
      count += code >= 0 ? 1 : 0;
    };
    for (i32 x = first_ + 1; x < last_; x += kCambiBlock<L>) {
      u64 starts = ~L::Bits16(L::Eq16(CodesAt(row + x), CodesAt(row + x - 1)));
      const i32 left = last_ - x;
      const i32 valid = left < kCambiBlock<L> ? left : kCambiBlock<L>;
      starts &= (u64{1} << valid) - 1;
      while (starts != 0) {
        const i32 at = x + __builtin_ctzll(starts);
        starts &= starts - 1;
        close(at);
        start = at;
        code = CodeOf(row[at]);
      }
    }
    close(last_);
    rows_[slot] = {runs, count};
  }

  // From the first code that counts on; negative for all that does not count.
  i32 CodeOf(u16 marked) const {
    const i32 code = marked - args_.codes.first;
    return code < args_.codes.end - args_.codes.first ? code : -1;
  }

  u16* Counts(i32 code) const { return args_.lines.counts + (code + args_.steps) * kCambiCountStride; }
  u32& Present(i32 code) const { return args_.lines.present[code + args_.steps]; }

  // Adds the runs of a row to the windows that contain them: the more of a run, the farther inside.
  template <bool kRemove>
  LOCKSTEP_LANE_PASS void AddRow(i32 y) {
    const RunRow row = rows_[y % ring_];
    i16 numbers[kCambiBlock<L>];
    for (i32 i = 0; i < kCambiBlock<L>; ++i) numbers[i] = static_cast<i16>(i + 1);
    const I16 iota = L::Load(numbers);
    for (i32 r = 0; r < row.count; ++r) {
      const CambiRun run = row.runs[r];
      u32& present = Present(run.code);
      present = kRemove ? present - run.length : present + run.length;
      // Column 0 of the counts is half a window before the first pixel.
      u16* const counts = Counts(run.code) + run.begin;
      const i32 length = run.length + 2 * reach_;
      const I16 most = L::Set16(static_cast<i16>(std::min<i32>(run.length, args_.window)));
      I16 up = iota;
      I16 down = L::Sub16(L::Set16(static_cast<i16>(length + 1)), iota);
      for (i32 x = 0; x < length; x += kCambiBlock<L>) {
        const I16 share = L::Max16(L::Min16(L::Min16(up, down), most), L::Set16(0));
        const I16 old = L::Load(counts + x);
        L::Store(kRemove ? L::Sub16(old, share) : L::Add16(old, share), counts + x);
        up = L::Add16(up, L::Set16(static_cast<i16>(kCambiBlock<L>)));
        down = L::Sub16(down, L::Set16(static_cast<i16>(kCambiBlock<L>)));
      }
    }
  }

  struct Step {
    const u16* below;
    const u16* above;
    float weight;
  };

  LOCKSTEP_LANE_PASS void ContrastsOfRow(i32 y) {
    float* const out = args_.contrasts.Row(y);
    std::fill(out + begin_, out + end_, 0.0f);
    const RunRow row = rows_[y % ring_];
    for (i32 r = 0; r < row.count; ++r) {
      const CambiRun run = row.runs[r];
      const i32 begin = std::max(first_ + run.begin, begin_);
      const i32 end = std::min(first_ + run.begin + run.length, end_);
      if (begin < end) ContrastsOfRun(run.code, begin, end, out);
    }
  }

  LOCKSTEP_LANE_INLINE void ContrastsOfRun(i32 code, i32 begin, i32 end, float* out) {
    Step steps[kCambiMaximumContrasts];
    i32 count = 0;
    const i32 column = begin - first_ + reach_;
    for (u32 visible = args_.visible[code]; visible != 0; visible &= visible - 1) {
      const i32 d = 1 + __builtin_ctz(visible);
      if ((Present(code - d) | Present(code + d)) == 0) continue;
      steps[count++] = {Counts(code - d) + column, Counts(code + d) + column, args_.weights[d]};
    }
    if (count == 0) return;
    const u16* const own_counts = Counts(code) + column;
    for (i32 x = 0; x < end - begin; x += L::N) {
      const auto own = L::Load32(own_counts + x);
      auto greatest = L::SetF(0.0f);
      for (i32 s = 0; s < count; ++s) {
        const auto others = L::Max(L::Load32(steps[s].below + x), L::Load32(steps[s].above + x));
        if (L::AllZero(others)) continue;
        const auto bits = L::Gather(reinterpret_cast<const i32*>(args_.reciprocals), L::Add(own, others));
        const auto product = L::MulF(L::ToF(L::MulPair(own, others)), L::SetF(steps[s].weight));
        greatest = L::MaxF(greatest, L::MulF(product, L::AsF(bits)));
      }
      const auto is_outside = L::Gt(L::Set(1), L::Keep(L::FirstN(end - begin - x), L::Set(1)));
      greatest = L::KeepNotF(is_outside, greatest);
      L::Store(greatest, out + begin + x);
      total_ = L::AddD(total_, L::ToD(greatest));
      const auto is_positive = L::LtF(L::SetF(0.0f), greatest);
      positive_ = L::Add(positive_, L::Keep(is_positive, L::Set(1)));
      least_ = L::Min(least_, L::Select(is_positive, L::BitsF(greatest), L::Set(kInfinity)));
    }
  }

  const CambiContrastArgs& args_;
  i32 reach_;
  i32 begin_;  // columns of the strip
  i32 end_;
  i32 first_;  // columns whose pixels are in its windows
  i32 last_;
  i32 ring_;
  RunRow rows_[kCambiRunRows];
  typename L::F64 total_;
  typename L::I32 positive_;
  typename L::I32 least_;  // as bits, which compare as the numbers do
};

template <class L>
LOCKSTEP_LANE_INLINE CambiTotal CambiContrastsOnLanes(const CambiContrastArgs& args) {
  CambiTotal total;
  for (i32 x = 0; x < args.marked.width; x += kCambiStrip) {
    CambiStrip<L> strip(args, x);
    total.Add(strip.Run());
  }
  return total;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lockstep
HWY_AFTER_NAMESPACE();
#endif
