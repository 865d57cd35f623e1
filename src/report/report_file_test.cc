// SPDX-License-Identifier: BSD-2-Clause-Patent
// Where reports go: whole files or none, links, pipes, and targets that cannot be written.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "lockstep/report.h"
#include "report/example_report_test.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

constexpr NumberFormat kLegacy{NumberFormat::Kind::kLegacy, 6};

class ReportFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "report_file_XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string Path(const std::string& name) const { return (folder_ / name).string(); }
  static std::string Read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  static void Put(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }
  [[nodiscard]] long EntryCount() const {
    return std::distance(fs::directory_iterator(folder_), fs::directory_iterator());
  }
  static Status Write(const std::string& path) { return WriteReport(PlainReport(), ReportFormat::kCsv, kLegacy, path); }
  const std::string expected_ = FormatReport(PlainReport(), ReportFormat::kCsv, kLegacy);
  fs::path folder_;
};

TEST_F(ReportFile, WritesAndReplaces) {
  const std::string path = Path("r.csv");
  EXPECT_TRUE(CheckReportPath(path).ok());
  EXPECT_EQ(EntryCount(), 0);
  ASSERT_TRUE(Write(path).ok());
  EXPECT_EQ(Read(path), expected_);
  Put(path, std::string(100000, 'x'));
  EXPECT_TRUE(CheckReportPath(path).ok());
  EXPECT_EQ(Read(path).size(), 100000U);
  ASSERT_TRUE(Write(path).ok());
  EXPECT_EQ(Read(path), expected_);
  EXPECT_EQ(EntryCount(), 1);
}

TEST_F(ReportFile, PermissionsAreThoseOfAnOrdinaryFile) {
  const mode_t before = ::umask(027);
  ASSERT_TRUE(Write(Path("new.csv")).ok());
  ::umask(before);
  EXPECT_EQ(fs::status(Path("new.csv")).permissions(), fs::perms{0640});
  Put(Path("old.csv"), "");
  fs::permissions(Path("old.csv"), fs::perms{0604});
  ASSERT_TRUE(Write(Path("old.csv")).ok());
  EXPECT_EQ(fs::status(Path("old.csv")).permissions(), fs::perms{0604});
}

TEST_F(ReportFile, LinkStaysALink) {
  Put(Path("target.csv"), "old");
  fs::create_symlink("target.csv", Path("link.csv"));
  ASSERT_TRUE(Write(Path("link.csv")).ok());
  EXPECT_TRUE(fs::is_symlink(Path("link.csv")));
  EXPECT_EQ(Read(Path("target.csv")), expected_);
}

TEST_F(ReportFile, LongNamesWork) {
  ASSERT_TRUE(Write(Path(std::string(255, 'n'))).ok());
  const Status status = CheckReportPath(Path(std::string(256, 'n')));
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::kInputOutput);
}

TEST_F(ReportFile, RefusedTargets) {
  Put(Path("file"), "");
  struct {
    std::string path;
    ErrorCode code;
  } const cases[] = {
      {Path("missing/r.xml"), ErrorCode::kNotFound},
      {Path("file/r.xml"), ErrorCode::kInputOutput},
      {folder_.string(), ErrorCode::kInputOutput},
      {Path("new/"), ErrorCode::kNotFound},
      {"", ErrorCode::kInputOutput},
      {"/proc/r.xml", ErrorCode::kInputOutput},
      {"/dev/fd/987", ErrorCode::kInputOutput},
  };
  for (const auto& c : cases) {
    const Status check = CheckReportPath(c.path);
    const Status write = Write(c.path);
    ASSERT_FALSE(check.ok()) << c.path;
    ASSERT_FALSE(write.ok()) << c.path;
    // /proc has its own idea of why it cannot hold a file.
    if (c.path != "/proc/r.xml") {
      EXPECT_EQ(check.error().code, c.code) << check.error().Describe();
    }
    EXPECT_EQ(check.error().Describe(), write.error().Describe());
    EXPECT_EQ(check.error().file, c.path);
  }
  EXPECT_EQ(EntryCount(), 1);
}

TEST_F(ReportFile, ReadOnlyFileAndFolderAreRefused) {
  if (::geteuid() == 0) GTEST_SKIP() << "the superuser may write everything";
  Put(Path("r.csv"), "keep");
  fs::permissions(Path("r.csv"), fs::perms{0444});
  EXPECT_FALSE(CheckReportPath(Path("r.csv")).ok());
  EXPECT_FALSE(Write(Path("r.csv")).ok());
  EXPECT_EQ(Read(Path("r.csv")), "keep");
  fs::permissions(folder_, fs::perms{0555});
  EXPECT_FALSE(CheckReportPath(Path("new.csv")).ok());
  fs::permissions(folder_, fs::perms{0755});
}

TEST_F(ReportFile, FailedWriteLeavesTheOldFileAndNothingElse) {
  Put(Path("r.csv"), "keep");
  // A file size limit makes write() fail half way, like a full disk.
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  struct rlimit before {};
  ::getrlimit(RLIMIT_FSIZE, &before);
  struct rlimit tiny = before;
  tiny.rlim_cur = 16;
  ::setrlimit(RLIMIT_FSIZE, &tiny);
  const Status status = Write(Path("r.csv"));
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, old_handler);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::kInputOutput);
  EXPECT_EQ(status.error().file, Path("r.csv"));
  EXPECT_EQ(Read(Path("r.csv")), "keep");
  EXPECT_EQ(EntryCount(), 1);
}

TEST_F(ReportFile, PipeIsWrittenDirectly) {
  const std::string path = Path("pipe");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_TRUE(CheckReportPath(path).ok());
  std::string received;
  std::thread reader([&] { received = Read(path); });
  const Status status = Write(path);
  reader.join();
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(received, expected_);
  EXPECT_TRUE(fs::is_fifo(path));
}

TEST_F(ReportFile, OpenDescriptorIsAppendedTo) {
  const int descriptor = ::open(Path("log").c_str(), O_WRONLY | O_CREAT, 0600);
  ASSERT_GE(descriptor, 0);
  ASSERT_EQ(::write(descriptor, "before\n", 7), 7);
  const std::string name = "/dev/fd/" + std::to_string(descriptor);
  EXPECT_TRUE(CheckReportPath(name).ok());
  ASSERT_TRUE(Write(name).ok());
  ASSERT_EQ(::write(descriptor, "after\n", 6), 6);
  ::close(descriptor);
  EXPECT_EQ(Read(Path("log")), "before\n" + expected_ + "after\n");
}

TEST_F(ReportFile, FullDeviceIsAnError) {
  if (!fs::exists("/dev/full")) GTEST_SKIP();
  EXPECT_TRUE(CheckReportPath("/dev/full").ok());
  const Status status = Write("/dev/full");
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::kInputOutput);
}

}  // namespace
}  // namespace lockstep
