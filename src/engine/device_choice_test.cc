// SPDX-License-Identifier: BSD-2-Clause-Patent
// Lists of devices as users write them.
#include "engine/device_choice.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "features/device/host_device.h"

namespace lockstep {
namespace {

TEST(DeviceChoiceTest, EmptyEntriesAreRefusedBeforeAnythingIsLoaded) {
  for (const char* text : {",", "0,", ",0", "0,,0"}) {
    DeviceRequest request;
    request.device = text;
    const auto devices = OpenDevices("no such backend", request);
    ASSERT_FALSE(devices.ok()) << text;
    EXPECT_EQ(devices.error().code, ErrorCode::kInvalidArgument) << text;
    EXPECT_EQ(devices.error().field, "device") << text;
  }
}

TEST(DeviceChoiceTest, BackendsThatAreNotThere) {
  for (const char* text : {"", "0", "0,1"}) {
    DeviceRequest request;
    request.device = text;
    const auto devices = OpenDevices("no such backend", request);
    ASSERT_FALSE(devices.ok()) << text;
    EXPECT_EQ(devices.error().code, ErrorCode::kUnsupported) << text;
  }
  DeviceRequest all;
  all.device = "all";
  const auto devices = OpenDevices("no such backend", all);
  ASSERT_FALSE(devices.ok());
  EXPECT_EQ(devices.error().code, ErrorCode::kNotFound);
  EXPECT_TRUE(devices.error().message.starts_with("no device can be used: 'no such backend' is not part of this build"))
      << devices.error().message;
}

TEST(DeviceChoiceTest, NamesAndNumbers) {
  std::vector<std::shared_ptr<Device>> devices;
  EXPECT_EQ(DeviceNames(devices), "");
  devices.push_back(MakeHostDevice(HostOrder::kLate));
  EXPECT_EQ(DeviceNames(devices), "host");
  devices.push_back(devices[0]);
  EXPECT_FALSE(AreDifferent(devices));
  devices.push_back(MakeHostDevice(HostOrder::kLate));
  EXPECT_EQ(DeviceNames(devices), "3 x host");
  EXPECT_TRUE(AreDifferent(devices));
  EXPECT_EQ(NumberOfDevice("no such backend", "2", *devices[0]), 2);
  EXPECT_EQ(NumberOfDevice("no such backend", "3,1", *devices[0]), 3);
  EXPECT_EQ(NumberOfDevice("no such backend", "host", *devices[0]), 0);
  EXPECT_EQ(NumberOfDevice("no such backend", "", *devices[0]), 0);
}

}  // namespace
}  // namespace lockstep
