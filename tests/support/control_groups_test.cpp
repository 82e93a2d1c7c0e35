#include "support/control_groups.hpp"

#include <cmath>

#include "helpers.hpp"

namespace priorfit {
using namespace internal;
namespace {

constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t mega = 1'000'000;

/// A folder in which Linux seems to tell about itself.
struct FakeSystem : test::Scratch {
  void belongs_to(const std::string& cgroup, const std::string& mountinfo) {
    file("proc/self/cgroup", cgroup);
    file("proc/self/mountinfo", mountinfo);
  }
  std::uint64_t memory_left() const { return ControlGroups(path()).memory_left(); }
  double cores() const { return ControlGroups(path()).cores(); }
};

const char* const version2_mount = "41 31 0:38 / /sys/fs/cgroup rw,relatime shared:9 - cgroup2 cgroup2 rw\n";
const char* const version1_mounts =
    "31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755\n"
    "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
    "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
    "34 31 0:31 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n";

TEST(ControlGroups, AreAbsentOnAnotherSystem) {
  const FakeSystem system;
  EXPECT_EQ(system.memory_left(), none);
  EXPECT_TRUE(std::isinf(system.cores()));
}

TEST(ControlGroups, OfVersion2LimitByTheTightestOfNestedGroups) {
  FakeSystem system;
  system.belongs_to("0::/jobs/mine\n", version2_mount);
  system.file("sys/fs/cgroup/jobs/mine/memory.max", "max\n");
  system.file("sys/fs/cgroup/jobs/memory.max", "500000000\n");
  system.file("sys/fs/cgroup/jobs/memory.current", "300000000\n");
  system.file("sys/fs/cgroup/jobs/memory.stat", "anon 1\ninactive_file 100000000\nactive_file 7\n");
  EXPECT_EQ(system.memory_left(), 300 * mega);  // 500 − (300 − 100)
  system.file("sys/fs/cgroup/jobs/mine/memory.max", "50000000\n");
  system.file("sys/fs/cgroup/jobs/mine/memory.current", "20000000\n");
  EXPECT_EQ(system.memory_left(), 30 * mega);

  system.file("sys/fs/cgroup/jobs/mine/cpu.max", "max 100000\n");
  EXPECT_TRUE(std::isinf(system.cores()));
  system.file("sys/fs/cgroup/jobs/cpu.max", "150000 100000\n");
  EXPECT_DOUBLE_EQ(system.cores(), 1.5);
  system.file("sys/fs/cgroup/jobs/mine/cpu.max", "400000 100000\n");
  EXPECT_DOUBLE_EQ(system.cores(), 1.5);
}

TEST(ControlGroups, OfVersion1LimitByTheTightestOfNestedGroups) {
  FakeSystem system;
  system.belongs_to("9:cpu,cpuacct:/a/b\n8:memory:/a/b/c\n7:cpuset:/\n0::/\n", version1_mounts);
  const std::string memory = "sys/fs/cgroup/memory/", cores = "sys/fs/cgroup/cpu,cpuacct/";
  system.file(memory + "memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_GT(system.memory_left(), std::uint64_t{1} << 60);
  system.file(memory + "a/memory.limit_in_bytes", "800000000\n");
  system.file(memory + "a/memory.usage_in_bytes", "500000000\n");
  system.file(memory + "a/memory.stat", "inactive_file 1\ntotal_inactive_file 50000000\n");
  EXPECT_EQ(system.memory_left(), 350 * mega);
  system.file(memory + "a/b/c/memory.limit_in_bytes", "100000000\n");
  system.file(memory + "a/b/c/memory.usage_in_bytes", "120000000\n");
  EXPECT_EQ(system.memory_left(), 0u);

  system.file(cores + "a/b/cpu.cfs_quota_us", "-1\n");
  system.file(cores + "a/b/cpu.cfs_period_us", "100000\n");
  EXPECT_TRUE(std::isinf(system.cores()));
  system.file(cores + "a/cpu.cfs_quota_us", "50000\n");
  system.file(cores + "a/cpu.cfs_period_us", "100000\n");
  EXPECT_DOUBLE_EQ(system.cores(), 0.5);
}

// A container sees its own group at the mount, under its name outside, or under a path that leads out.
TEST(ControlGroups, OfAContainerAreFoundAtTheMount) {
  for (const char* group : {"0::/\n", "0::/docker/123\n", "0::/../../123\n"}) {
    FakeSystem system;
    system.belongs_to(group, "41 31 0:38 /docker/123 /sys/fs/cgroup ro - cgroup2 cgroup rw\n");
    system.file("sys/fs/cgroup/memory.max", "70000000\n");
    system.file("sys/fs/cgroup/memory.current", "10000000\n");
    system.file("sys/fs/cgroup/cpu.max", "100000 100000\n");
    EXPECT_EQ(system.memory_left(), 60 * mega) << group;
    EXPECT_DOUBLE_EQ(system.cores(), 1.0) << group;
  }
}

TEST(ControlGroups, MayLieAtAPathWithSpaces) {
  FakeSystem system;
  system.belongs_to("0::/\n", "41 31 0:38 / /my\\040groups rw - cgroup2 cgroup rw\n");
  system.file("my groups/memory.max", "5000000\n");
  EXPECT_EQ(system.memory_left(), 5 * mega);
}

}  // namespace
}  // namespace priorfit
