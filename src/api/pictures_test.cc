// SPDX-License-Identifier: BSD-2-Clause-Patent
// Pictures of an application: the scores of the same pictures in files, what is refused, how long they are held; arrays
// of other libraries.
#include "lockstep/pictures.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace lockstep {
namespace {

constexpr std::int64_t kFrames = 14;

std::uint16_t SampleAt(const VideoFormat& format, int input, std::int64_t frame, int plane, int x, int y) {
  std::uint32_t state = static_cast<std::uint32_t>(((x * 131 + y) * 7 + plane) * 64 + frame * 2 + input) * 2654435761U;
  state ^= state >> 15;
  return static_cast<std::uint16_t>(state & ((1U << format.bit_depth) - 1));
}

// One picture with rows `gap` bytes apart beyond their length, `shift` bytes from an aligned address.
class OwnPicture {
 public:
  OwnPicture(const VideoFormat& format, int input, std::int64_t frame, std::ptrdiff_t gap, std::size_t shift) {
    for (int p = 0; p < format.plane_count(); ++p) {
      const PlaneSize size = format.plane_size(p);
      const auto sample_bytes = static_cast<std::size_t>(format.bytes_per_sample());
      const std::ptrdiff_t row_bytes = size.width * format.bytes_per_sample();
      const std::ptrdiff_t pitch = gap < 0 ? (row_bytes + 127) / 64 * 64 : row_bytes + gap;
      std::vector<std::byte>& memory = memory_[static_cast<std::size_t>(p)];
      memory.assign(static_cast<std::size_t>(pitch * size.height) + 64 + shift, std::byte{0x5a});
      const std::size_t beyond = reinterpret_cast<std::uintptr_t>(memory.data()) % 64;
      std::byte* const data = memory.data() + (64 - beyond) % 64 + shift;
      for (int y = 0; y < size.height; ++y) {
        for (int x = 0; x < size.width; ++x) {
          const std::uint16_t sample = SampleAt(format, input, frame, p, x, y);
          std::memcpy(data + y * pitch + x * static_cast<std::ptrdiff_t>(sample_bytes), &sample, sample_bytes);
        }
      }
      planes[static_cast<std::size_t>(p)] = {data, pitch};
    }
  }
  std::array<PicturePlane, 3> planes;

 private:
  std::array<std::vector<std::byte>, 3> memory_;
};

class MadePictures : public PictureSource {
 public:
  explicit MadePictures(const VideoFormat& format) : format_(format) {}

  Result<bool> Next(Picture& reference, Picture& distorted) override {
    if (is_cancelled) return Error{ErrorCode::kCancelled, "cancelled", {}, {}, {}};
    if (next == fail_at) return Error{ErrorCode::kInputOutput, "the camera is gone", {}, next, {}};
    if (next == end) return false;
    reference = Make(0);
    distorted = Make(1);
    if (spoil) spoil(next, reference, distorted);
    ++next;
    return true;
  }
  void Cancel() override { is_cancelled = true; }
  std::optional<std::int64_t> pair_count() const override { return end; }
  double frame_rate() const override { return rate; }

  std::int64_t end = kFrames;
  std::int64_t next = 0;
  std::int64_t fail_at = -1;
  double rate = 0.0;
  std::ptrdiff_t gap = 0;
  std::size_t shift = 0;
  PictureMemory memory = PictureMemory::kHost;
  bool has_readable_padding = false;
  std::function<void(std::int64_t, Picture&, Picture&)> spoil;
  std::atomic<bool> is_cancelled{false};
  std::shared_ptr<std::atomic<int>> alive = std::make_shared<std::atomic<int>>(0);
  std::shared_ptr<std::atomic<int>> most_alive = std::make_shared<std::atomic<int>>(0);

 private:
  Picture Make(int input) {
    const int now = ++*alive;
    *most_alive = std::max(most_alive->load(), now);
    const std::shared_ptr<OwnPicture> own(new OwnPicture(format_, input, next, gap, shift),
                                          [alive = alive](OwnPicture* picture) {
                                            delete picture;
                                            --*alive;
                                          });
    Picture picture;
    picture.planes = own->planes;
    picture.memory = memory;
    picture.has_readable_padding = has_readable_padding;
    picture.owner = own;
    return picture;
  }

  VideoFormat format_;
};

std::string WriteFile(const VideoFormat& format, int input) {
  static const std::filesystem::path folder = [] {
    std::string name_template = (std::filesystem::temp_directory_path() / "lockstep_pictures_XXXXXX").string();
    return std::filesystem::path(mkdtemp(name_template.data()));
  }();
  const std::string path =
      (folder / (std::to_string(format.bit_depth) + "_" + std::to_string(input) + ".yuv")).string();
  std::ofstream file(path, std::ios::binary);
  for (std::int64_t frame = 0; frame < kFrames; ++frame) {
    for (int p = 0; p < format.plane_count(); ++p) {
      const PlaneSize size = format.plane_size(p);
      for (int y = 0; y < size.height; ++y) {
        for (int x = 0; x < size.width; ++x) {
          const std::uint16_t sample = SampleAt(format, input, frame, p, x, y);
          file.write(reinterpret_cast<const char*>(&sample), format.bytes_per_sample());
        }
      }
    }
  }
  return path;
}

ScoreRequest MakeRequest() {
  ScoreRequest request;
  request.models.emplace_back().version = "vmaf_v0.6.1";
  request.features.push_back({"psnr", {}});
  request.features.push_back({"motion", {{"motion_five_frame_window", "true"}}});
  request.threads = 2;
  return request;
}

void ExpectSameScores(const Report& actual, const Report& expected, const std::string& what) {
  EXPECT_EQ(actual.first_frame, expected.first_frame) << what;
  EXPECT_EQ(actual.frame_count, expected.frame_count) << what;
  ASSERT_EQ(actual.columns.size(), expected.columns.size()) << what;
  for (std::size_t c = 0; c < expected.columns.size(); ++c) {
    EXPECT_EQ(actual.columns[c].name, expected.columns[c].name);
    ASSERT_EQ(actual.columns[c].values.size(), expected.columns[c].values.size()) << what;
    for (std::size_t i = 0; i < expected.columns[c].values.size(); ++i) {
      const std::optional<double>& a = actual.columns[c].values[i];
      const std::optional<double>& e = expected.columns[c].values[i];
      ASSERT_EQ(a.has_value(), e.has_value()) << what;
      if (e) {
        ASSERT_EQ(std::bit_cast<std::uint64_t>(*a), std::bit_cast<std::uint64_t>(*e)) << what;
      }
    }
  }
}

constexpr VideoFormat kFormats[] = {
    {PixelFormat::kYuv420, 49, 37, 8}, {PixelFormat::kYuv422, 64, 36, 10}, {PixelFormat::kYuv444, 37, 33, 16}};
constexpr VideoFormat kFormat = kFormats[0];

TEST(ScorePicturesTest, ScoresOfTheSamePicturesInFiles) {
  for (const VideoFormat& format : kFormats) {
    ScoreRequest request = MakeRequest();
    ScoreRequest files = request;
    files.reference = {WriteFile(format, 0), format, 0};
    files.distorted = {WriteFile(format, 1), format, 0};
    const Result<Report> expected = Score(files);
    ASSERT_TRUE(expected.ok()) << expected.error().Describe();
    for (const PictureMemory memory : {PictureMemory::kHost, PictureMemory::kPinned}) {
      for (const std::ptrdiff_t gap : {-1, 0, 2, 96}) {
        for (const std::size_t shift : {0, 2}) {
          MadePictures pictures(format);
          pictures.memory = memory;
          pictures.gap = gap;
          pictures.shift = shift;
          pictures.has_readable_padding = gap == -1;
          const Result<Report> report = ScorePictures(request, format, pictures);
          ASSERT_TRUE(report.ok()) << report.error().Describe();
          ExpectSameScores(*report, *expected, std::to_string(format.bit_depth) + " bit, gap " + std::to_string(gap));
          EXPECT_EQ(report->reference.path, kReferencePictures);
          EXPECT_EQ(report->distorted.path, kDistortedPictures);
          EXPECT_EQ(report->reference.frames, kFrames);
          EXPECT_EQ(report->format, format);
          EXPECT_EQ(*pictures.alive, 0);
        }
      }
    }
    request.segment = {9, 11};
    files.segment = request.segment;
    MadePictures pictures(format);
    const Result<Report> part = ScorePictures(request, format, pictures);
    ASSERT_TRUE(part.ok());
    ExpectSameScores(*part, *Score(files), "segment");
    EXPECT_LT(pictures.next, kFrames);
  }
}

TEST(ScorePicturesTest, FrameLimit) {
  ScoreRequest request = MakeRequest();
  request.frame_limit = 4;
  MadePictures pictures(kFormat);
  std::int64_t total = 0;
  request.on_progress = [&](const Progress& progress) { total = progress.frames_total.value_or(-1); };
  const Result<Report> report = ScorePictures(request, kFormat, pictures);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->frame_count, 4);
  EXPECT_EQ(pictures.next, 4);
  EXPECT_EQ(total, 4);
}

TEST(ScorePicturesTest, FrameRate) {
  constexpr VideoFormat kSize{PixelFormat::kYuv420, 96, 80, 8};
  ScoreRequest request;
  request.features.push_back({"xpsnr", {}});
  std::vector<Report> reports;
  for (const double rate : {0.0, 25.0, 50.0}) {
    MadePictures pictures(kSize);
    pictures.rate = rate;
    Result<Report> report = ScorePictures(request, kSize, pictures);
    ASSERT_TRUE(report.ok());
    EXPECT_EQ(report->reference.frame_rate, rate);
    reports.push_back(*std::move(report));
  }
  EXPECT_EQ(reports[0].columns[0].values, reports[1].columns[0].values);
  EXPECT_NE(reports[0].columns[0].values, reports[2].columns[0].values);
}

TEST(ScorePicturesTest, ChromaMayBeAbsentWhereNobodyLooksAtIt) {
  const auto without_chroma = [](std::int64_t /*frame*/, Picture& reference, Picture& distorted) {
    for (Picture* picture : {&reference, &distorted}) picture->planes[1] = picture->planes[2] = {};
  };
  MadePictures pictures(kFormat);
  pictures.spoil = without_chroma;
  ScoreRequest request = MakeRequest();
  const Result<Report> refused = ScorePictures(request, kFormat, pictures);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("chroma"), std::string::npos) << refused.error().Describe();
  request.features.clear();
  MadePictures whole(kFormat);
  MadePictures luma(kFormat);
  luma.spoil = without_chroma;
  ExpectSameScores(*ScorePictures(request, kFormat, luma), *ScorePictures(request, kFormat, whole), "luma");
}

TEST(ScorePicturesTest, PicturesThatDoNotFitAreRefused) {
  struct Case {
    const char* field;
    std::function<void(Picture&)> spoil;
    VideoFormat format = kFormat;
  };
  const VideoFormat deep = kFormats[1];
  const Case cases[] = {
      {"plane 0", [](Picture& p) { p.planes[0].data = nullptr; }},
      {"plane 0", [](Picture& p) { p.planes[0].pitch_bytes = kFormat.width - 1; }},
      {"plane 0", [](Picture& p) { p.planes[0].pitch_bytes = -kFormat.width; }},
      {"plane 2", [](Picture& p) { p.planes[2].pitch_bytes = 0; }},
      {"memory", [](Picture& p) { p.memory = PictureMemory::kDevice; }},
      {"stream", [](Picture& p) { p.native_stream = 1; }},
      {"plane 0", [](Picture& p) { p.planes[0].data = static_cast<const std::byte*>(p.planes[0].data) + 1; }, deep},
      {"plane 1", [](Picture& p) { ++p.planes[1].pitch_bytes; }, deep},
  };
  for (const Case& bad : cases) {
    for (const bool is_distorted : {false, true}) {
      MadePictures pictures(bad.format);
      pictures.gap = 64;
      pictures.spoil = [&](std::int64_t frame, Picture& reference, Picture& distorted) {
        if (frame == 5) bad.spoil(is_distorted ? distorted : reference);
      };
      const Result<Report> report = ScorePictures(MakeRequest(), bad.format, pictures);
      ASSERT_FALSE(report.ok()) << bad.field;
      EXPECT_EQ(report.error().code, ErrorCode::kInvalidArgument);
      EXPECT_EQ(report.error().field, bad.field);
      EXPECT_EQ(report.error().frame, 5);
      EXPECT_EQ(report.error().file, is_distorted ? kDistortedPictures : kReferencePictures);
      EXPECT_EQ(*pictures.alive, 0);
    }
  }
}

TEST(ScorePicturesTest, SamplesBeyondTheDepthAreRefused) {
  const VideoFormat format = kFormats[1];
  const std::uint16_t sample = 1024;
  MadePictures pictures(format);
  pictures.spoil = [&](std::int64_t frame, Picture& /*reference*/, Picture& distorted) {
    if (frame != 2) return;
    auto* const row = const_cast<std::byte*>(static_cast<const std::byte*>(distorted.planes[0].data));
    std::memcpy(row + 3 * distorted.planes[0].pitch_bytes + 2 * 7, &sample, sizeof(sample));
  };
  const Result<Report> report = ScorePictures(MakeRequest(), format, pictures);
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().frame, 2);
  EXPECT_NE(report.error().message.find("x 7, y 3"), std::string::npos) << report.error().Describe();
}

TEST(ScorePicturesTest, RequestsAndFormatsThatDoNotFitAreRefused) {
  const auto refused = [](const ScoreRequest& request, const VideoFormat& format) {
    MadePictures pictures(kFormat);
    const Result<Report> report = ScorePictures(request, format, pictures);
    EXPECT_EQ(pictures.next, 0);
    return !report.ok() && report.error().code == ErrorCode::kInvalidArgument;
  };
  ScoreRequest request = MakeRequest();
  for (const VideoFormat& format : {VideoFormat{PixelFormat::kYuv420, 0, 40, 8},
                                    {PixelFormat::kYuv420, 40, 32769, 8},
                                    {PixelFormat::kYuv420, 40, 40, 7},
                                    {PixelFormat::kYuv420, 40, 40, 17}}) {
    EXPECT_TRUE(refused(request, format));
  }
  request.reference.path = "a.y4m";
  EXPECT_TRUE(refused(request, kFormat));
  request = MakeRequest();
  request.distorted.skip_frames = 1;
  EXPECT_TRUE(refused(request, kFormat));
  request = MakeRequest();
  request.subsample = 0;
  EXPECT_TRUE(refused(request, kFormat));
}

TEST(ScorePicturesTest, FailureEndAndCancelling) {
  MadePictures broken(kFormat);
  broken.fail_at = 4;
  const Result<Report> failed = ScorePictures(MakeRequest(), kFormat, broken);
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().message, "the camera is gone");
  EXPECT_EQ(*broken.alive, 0);

  MadePictures none(kFormat);
  none.end = 0;
  EXPECT_FALSE(ScorePictures(MakeRequest(), kFormat, none).ok());

  MadePictures endless(kFormat);
  endless.end = std::int64_t{1} << 40;
  std::stop_source stop;
  ScoreRequest request = MakeRequest();
  request.stop = stop.get_token();
  endless.spoil = [&](std::int64_t frame, Picture&, Picture&) {
    if (frame == 20) stop.request_stop();
  };
  const Result<Report> cancelled = ScorePictures(request, kFormat, endless);
  ASSERT_FALSE(cancelled.ok());
  EXPECT_EQ(cancelled.error().code, ErrorCode::kCancelled);
  EXPECT_TRUE(endless.is_cancelled);
  EXPECT_EQ(*endless.alive, 0);
}

TEST(ScorePicturesTest, HoldsFewPictures) {
  for (const bool in_place : {false, true}) {
    MadePictures pictures(kFormat);
    pictures.end = 100;
    pictures.gap = -1;
    pictures.has_readable_padding = in_place;
    ScoreRequest request = MakeRequest();
    ASSERT_TRUE(ScorePictures(request, kFormat, pictures).ok());
    // A copy is made at once; in place the windows in flight hold their pictures.
    EXPECT_LE(*pictures.most_alive, in_place ? 2 * (static_cast<int>(request.threads) + 4) : 2);
  }
}

CudaArrayInterface Array(std::vector<std::int64_t> shape, std::string type) {
  CudaArrayInterface array;
  array.shape = std::move(shape);
  array.typestr = std::move(type);
  array.data = 4096;
  return array;
}

TEST(CudaArrayTest, PlanesOfBothTypes) {
  const auto owner = std::make_shared<int>(1);
  CudaArrayInterface array = Array({36, 64}, "|u1");
  array.stream = 2;
  const Result<PictureArray> bytes = DescribeCudaArray(array, owner);
  ASSERT_TRUE(bytes.ok());
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(bytes->plane.data), 4096U);
  EXPECT_EQ(bytes->plane.pitch_bytes, 64);
  EXPECT_EQ(bytes->width, 64);
  EXPECT_EQ(bytes->height, 36);
  EXPECT_EQ(bytes->bytes_per_sample, 1);
  EXPECT_EQ(bytes->memory, PictureMemory::kDevice);
  EXPECT_EQ(bytes->native_stream, 2U);
  EXPECT_EQ(bytes->owner, owner);

  array = Array({36, 64}, "<u2");
  array.strides = {256, 2};
  const Result<PictureArray> words = DescribeCudaArray(array);
  ASSERT_TRUE(words.ok());
  EXPECT_EQ(words->plane.pitch_bytes, 256);
  EXPECT_EQ(words->bytes_per_sample, 2);
  EXPECT_EQ(words->native_stream, 0U);

  // What a stride says of a single row or column means nothing.
  array = Array({1, 5}, "|u1");
  array.strides = {0, 1};
  EXPECT_EQ(DescribeCudaArray(array)->plane.pitch_bytes, 5);
  array = Array({5, 1}, "|u1");
  array.strides = {8, 77};
  EXPECT_EQ(DescribeCudaArray(array)->plane.pitch_bytes, 8);
}

TEST(CudaArrayTest, Refused) {
  const auto field = [](const CudaArrayInterface& array) {
    const Result<PictureArray> result = DescribeCudaArray(array);
    return result.ok() ? std::string("none") : result.error().field;
  };
  EXPECT_EQ(field(Array({36, 64}, "|u1")), "none");
  for (const char* type : {"|i1", "<i2", ">u2", "<f4", "|b1", ""}) EXPECT_EQ(field(Array({36, 64}, type)), "typestr");
  for (const std::vector<std::int64_t>& shape :
       {std::vector<std::int64_t>{64}, {36, 64, 3}, {}, {0, 64}, {36, -1}, {36, 40000}}) {
    EXPECT_EQ(field(Array(shape, "|u1")), "shape");
  }
  CudaArrayInterface array = Array({36, 64}, "<u2");
  for (const std::vector<std::int64_t>& strides :
       {std::vector<std::int64_t>{128, 4}, {2, 72}, {-128, 2}, {127, 2}, {129, 2}, {128, 2, 1}, {0, 2}}) {
    array.strides = strides;
    EXPECT_EQ(field(array), "strides") << strides[0];
  }
  array = Array({36, 64}, "<u2");
  array.data = 4097;
  EXPECT_EQ(field(array), "data");
  array.data = 0;
  EXPECT_EQ(field(array), "data");
  array = Array({36, 64}, "|u1");
  array.stream = 0;
  EXPECT_EQ(field(array), "stream");
  array.stream.reset();
  array.has_mask = true;
  EXPECT_EQ(field(array), "mask");
  array.has_mask = false;
  array.version = 1;
  EXPECT_EQ(field(array), "version");
}

template <class Managed>
struct TensorCase {
  TensorCase() {
    managed.tensor.data = memory.data();
    managed.tensor.device = {dlpack::kCuda, 0};
    managed.tensor.dimensions = 2;
    managed.tensor.type = {dlpack::kUnsigned, 16, 1};
    managed.tensor.shape = shape.data();
    managed.tensor.strides = strides.data();
    managed.tensor.byte_offset = 32;
    managed.manager = &deleted;
    managed.deleter = [](Managed* self) { ++*static_cast<int*>(self->manager); };
    if constexpr (requires { managed.version; }) managed.version = {1, 1};
  }
  Managed managed{};
  std::vector<std::uint16_t> memory = std::vector<std::uint16_t>(4096);
  std::array<std::int64_t, 2> shape{36, 64};
  std::array<std::int64_t, 2> strides{80, 1};
  int deleted = 0;
};

template <class Managed>
class TensorTest : public ::testing::Test {};
using ManagedTensors = ::testing::Types<dlpack::ManagedTensor, dlpack::ManagedTensorVersioned>;
TYPED_TEST_SUITE(TensorTest, ManagedTensors);

TYPED_TEST(TensorTest, TakenAndGivenBack) {
  TensorCase<TypeParam> tensor;
  {
    Result<PictureArray> array = TakeTensor(&tensor.managed, 7);
    ASSERT_TRUE(array.ok()) << array.error().Describe();
    EXPECT_EQ(array->plane.data, tensor.memory.data() + 16);
    EXPECT_EQ(array->plane.pitch_bytes, 160);
    EXPECT_EQ(array->width, 64);
    EXPECT_EQ(array->height, 36);
    EXPECT_EQ(array->bytes_per_sample, 2);
    EXPECT_EQ(array->memory, PictureMemory::kDevice);
    EXPECT_EQ(array->native_stream, 7U);
    const std::shared_ptr<const void> copy = array->owner;
    *array = PictureArray();
    EXPECT_EQ(tensor.deleted, 0);
  }
  EXPECT_EQ(tensor.deleted, 1);

  TensorCase<TypeParam> compact;
  compact.managed.tensor.strides = nullptr;
  compact.managed.deleter = nullptr;
  compact.managed.tensor.type.bits = 8;
  for (const auto& [type, memory] : {std::pair{dlpack::kCpu, PictureMemory::kHost},
                                     {dlpack::kCudaHost, PictureMemory::kPinned},
                                     {dlpack::kCudaManaged, PictureMemory::kDevice},
                                     {dlpack::kRocm, PictureMemory::kDevice},
                                     {dlpack::kRocmHost, PictureMemory::kPinned}}) {
    compact.managed.tensor.device.type = type;
    const Result<PictureArray> array = TakeTensor(&compact.managed);
    ASSERT_TRUE(array.ok());
    EXPECT_EQ(array->memory, memory);
    EXPECT_EQ(array->plane.pitch_bytes, 64);
  }
}

TYPED_TEST(TensorTest, RefusedOnesStayTheCallers) {
  using Spoil = std::function<void(TensorCase<TypeParam>&)>;
  const std::pair<const char*, Spoil> cases[] = {
      {"dtype", [](auto& c) { c.managed.tensor.type.code = 0; }},
      {"dtype", [](auto& c) { c.managed.tensor.type.bits = 32; }},
      {"dtype", [](auto& c) { c.managed.tensor.type.lanes = 3; }},
      {"device", [](auto& c) { c.managed.tensor.device.type = 14; }},
      {"shape", [](auto& c) { c.managed.tensor.dimensions = 3; }},
      {"shape", [](auto& c) { c.managed.tensor.shape = nullptr; }},
      {"shape", [](auto& c) { c.shape[0] = 0; }},
      {"strides", [](auto& c) { c.strides[1] = 2; }},
      {"strides", [](auto& c) { c.strides[0] = 63; }},
      {"strides", [](auto& c) { c.strides[0] = INT64_MAX; }},
      {"data", [](auto& c) { c.managed.tensor.data = nullptr; }},
      {"data", [](auto& c) { c.managed.tensor.byte_offset = 1; }},
  };
  for (const auto& [field, spoil] : cases) {
    TensorCase<TypeParam> tensor;
    spoil(tensor);
    const Result<PictureArray> array = TakeTensor(&tensor.managed);
    ASSERT_FALSE(array.ok()) << field;
    EXPECT_EQ(array.error().field, field) << array.error().Describe();
    EXPECT_EQ(tensor.deleted, 0);
  }
  EXPECT_FALSE(TakeTensor(static_cast<TypeParam*>(nullptr)).ok());
}

TEST(TensorVersionTest, OtherMajorVersionsAreRefused) {
  TensorCase<dlpack::ManagedTensorVersioned> tensor;
  tensor.managed.version = {2, 0};
  const Result<PictureArray> array = TakeTensor(&tensor.managed);
  ASSERT_FALSE(array.ok());
  EXPECT_EQ(array.error().field, "version");
}

TEST(MakePictureTest, PlanesOfTheFormat) {
  const VideoFormat format = {PixelFormat::kYuv420, 49, 37, 8};
  std::array<std::shared_ptr<int>, 3> owners;
  std::vector<PictureArray> planes;
  for (int p = 0; p < 3; ++p) {
    const PlaneSize size = format.plane_size(p);
    owners[static_cast<std::size_t>(p)] = std::make_shared<int>(p);
    planes.push_back({{&planes, 64 + p},
                      size.width,
                      size.height,
                      1,
                      PictureMemory::kDevice,
                      5,
                      owners[static_cast<std::size_t>(p)]});
  }
  Result<Picture> picture = MakePicture(format, planes);
  ASSERT_TRUE(picture.ok()) << picture.error().Describe();
  EXPECT_EQ(picture->planes[2].pitch_bytes, 66);
  EXPECT_EQ(picture->memory, PictureMemory::kDevice);
  EXPECT_EQ(picture->native_stream, 5U);
  EXPECT_FALSE(picture->has_readable_padding);
  EXPECT_TRUE(MakePicture(format, std::span(planes).first(1)).ok());
  EXPECT_FALSE(MakePicture(format, std::span(planes).first(2)).ok());
  EXPECT_FALSE(MakePicture(format, {}).ok());
  planes.clear();
  for (const auto& owner : owners) EXPECT_EQ(owner.use_count(), 2);
  picture->owner.reset();
  for (const auto& owner : owners) EXPECT_EQ(owner.use_count(), 1);
}

TEST(MakePictureTest, PlanesThatDoNotFit) {
  const VideoFormat format = {PixelFormat::kYuv444, 49, 37, 8};
  const int data = 0;
  const PictureArray plane = {{&data, 49}, 49, 37, 1, PictureMemory::kDevice, 5, nullptr};
  const auto field = [&](const std::function<void(PictureArray&)>& spoil) {
    std::vector<PictureArray> planes(3, plane);
    spoil(planes[1]);
    const Result<Picture> picture = MakePicture(format, planes);
    return picture.ok() ? std::string("none") : picture.error().field;
  };
  EXPECT_EQ(field([](PictureArray&) {}), "none");
  EXPECT_EQ(field([](PictureArray& p) { p.width = 25; }), "plane 1");
  EXPECT_EQ(field([](PictureArray& p) { p.height = 36; }), "plane 1");
  EXPECT_EQ(field([](PictureArray& p) { p.bytes_per_sample = 2; }), "plane 1");
  EXPECT_EQ(field([](PictureArray& p) { p.memory = PictureMemory::kHost; }), "plane 1");
  EXPECT_EQ(field([](PictureArray& p) { p.native_stream = 6; }), "plane 1");
}

}  // namespace
}  // namespace lockstep
