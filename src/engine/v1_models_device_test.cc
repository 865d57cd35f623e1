// SPDX-License-Identifier: BSD-2-Clause-Patent
// Every metric of the v1.0.16 models runs on devices with the options of each model: the facts of the host, and kernels
// of their own where a device has them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "features/device/test_device_run.h"
#include "features/feature_list.h"
#include "features/test_run.h"
#include "model/model.h"

namespace lockstep {
namespace {

struct ModelMetric {
  std::string name;  // of the model and the metric
  const FeatureDescription* description = nullptr;
  OptionValues options;
};

std::vector<std::string> V1Models() {
  std::vector<std::string> versions;
  for (const BuiltInModelInfo& model : BuiltInModels()) {
    if (model.version.starts_with("vmaf_v1.")) versions.emplace_back(model.version);
  }
  return versions;
}

/// Metrics without options in common are listed once for each model.
std::vector<ModelMetric> V1Metrics() {
  std::vector<ModelMetric> metrics;
  for (const std::string& version : V1Models()) {
    const Result<LoadedModel> model = LoadBuiltInModel(version, {});
    EXPECT_TRUE(model) << version;
    for (const ModelFeature& feature : model->main.features()) {
      const FeatureDescription* const description = FindFeatureByScore(feature.raw_name);
      EXPECT_NE(description, nullptr) << feature.raw_name;
      if (description == nullptr) continue;
      Result<OptionValues> options = OptionValues::Parse(description->name, description->options, feature.options);
      EXPECT_TRUE(options) << version << " " << feature.raw_name;
      metrics.push_back({version + " " + description->name, description, *std::move(options)});
    }
  }
  return metrics;
}

DeviceTraits TunedTraits() { return {"cuda80", 132, 227 << 10, true}; }

TEST(V1ModelsDeviceTest, ThereAreEightModelsWithFourMetrics) {
  EXPECT_EQ(V1Models().size(), 8u);
  for (const char* metric : {"adm", "motion", "speed_chroma", "cambi"}) {
    const std::vector<ModelMetric> metrics = V1Metrics();
    EXPECT_GE(std::count_if(metrics.begin(), metrics.end(),
                            [&](const ModelMetric& m) { return m.description->name == std::string(metric); }),
              8)
        << metric;
  }
}

TEST(V1ModelsDeviceTest, FactsAreThoseOfTheHost) {
  for (const ModelMetric& metric : V1Metrics()) {
    for (const VideoFormat& format : {VideoFormat{PixelFormat::kYuv420, 576, 324, 8},
                                      {PixelFormat::kYuv420, 641, 363, 10},
                                      {PixelFormat::kYuv444, 352, 323, 12}}) {
      const std::unique_ptr<Feature> feature =
          CreateFeature(*metric.description, metric.options, format, CpuTarget::kScalar).value();
      const std::vector<Frame> reference = test_run::NoiseFrames(format, 5, 1);
      const std::vector<Frame> distorted = test_run::NoiseFrames(format, 5, 9);
      ASSERT_NE(feature->MakeDeviceProgram({}), nullptr) << metric.name;
      EXPECT_EQ(test_run::DeviceFacts(*feature, reference, distorted),
                test_run::ScalarFacts(*feature, reference, distorted))
          << metric.name << " " << format.width << "x" << format.height;
    }
  }
}

// At the sizes for which the models are made: kernels that a device has for itself, and of adm those for the usual
// options.
TEST(V1ModelsDeviceTest, NvidiaDevicesHaveKernelsOfTheirOwn) {
  for (const ModelMetric& metric : V1Metrics()) {
    for (const PlaneSize size : {PlaneSize{1280, 720}, {1920, 1080}, {3840, 2160}}) {
      for (const int depth : {8, 10}) {
        const VideoFormat format = {PixelFormat::kYuv420, size.width, size.height, depth};
        const std::unique_ptr<Feature> feature =
            CreateFeature(*metric.description, metric.options, format, CpuTarget::kScalar).value();
        const std::unique_ptr<DeviceProgram> program = feature->MakeDeviceProgram(TunedTraits());
        ASSERT_NE(program, nullptr) << metric.name;
        // Nothing is stored there, but places are computed from it.
        std::byte somewhere{};
        DeviceFrame frame;
        frame.scratch = &somewhere;
        DeviceSteps steps;
        program->AddSteps(frame, steps);
        const auto is_tuned = [](const DeviceStep& step) { return bool{step.plan}; };
        EXPECT_TRUE(std::any_of(steps.steps().begin(), steps.steps().end(), is_tuned))
            << metric.name << " " << size.width << " " << depth;
        for (const DeviceStep& step : steps.steps()) {
          const std::string kernel = step.kernels[step.plan ? static_cast<std::size_t>(step.plan(8).kernel) : 0];
          EXPECT_FALSE(kernel.starts_with("general_"))
              << metric.name << " " << size.width << " " << depth << " " << kernel;
        }
      }
    }
  }
}

}  // namespace
}  // namespace lockstep
