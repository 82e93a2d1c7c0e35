#include "support/control_groups.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>

#include "support/proc_files.hpp"

namespace priorfit::internal {
namespace {

namespace fs = std::filesystem;

/// A line of /proc/self/mountinfo, as far as it says where control groups are.
struct Mount {
  std::string root;     // the group that is seen at `folder`
  std::string folder;   // where
  std::string type;     // "cgroup" (version 1) or "cgroup2"
  std::string options;  // with the controllers of version 1
};

/// Mount points write spaces and other separators as \040 and the like.
std::string unescaped(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size()) {
      out += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
      i += 3;
    } else {
      out += text[i];
    }
  }
  return out;
}

std::vector<Mount> group_mounts(const fs::path& file) {
  std::vector<Mount> mounts;
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string skipped, word;
    Mount mount;
    words >> skipped >> skipped >> skipped >> mount.root >> mount.folder;
    while (words >> word && word != "-") {
    }
    words >> mount.type >> skipped >> mount.options;
    if (!mount.type.starts_with("cgroup")) continue;
    mount.root = unescaped(mount.root);
    mount.folder = unescaped(mount.folder);
    mounts.push_back(mount);
  }
  return mounts;
}

bool lists(const std::string& words, const std::string& wanted) {
  std::istringstream list(words);
  for (std::string word; std::getline(list, word, ',');) {
    if (word == wanted) return true;
  }
  return false;
}

/// The folders of a group and of all around it, as far as the mount shows them.
std::vector<fs::path> nested_folders(const fs::path& root, const Mount& mount, const std::string& group) {
  // A container may see its own group as the root of the tree, or name it by a path outside of what it sees.
  const std::string base = mount.root == "/" ? "" : mount.root;
  const bool inside = group == base || group.starts_with(base + "/");
  const fs::path top = root / fs::path(mount.folder).relative_path();
  fs::path folder = top;
  if (inside) folder /= fs::path(group.substr(base.size())).relative_path();
  folder = folder.lexically_normal();
  std::vector<fs::path> folders;
  const fs::path end = top.lexically_normal();
  for (; folder.string().size() > end.string().size(); folder = folder.parent_path()) {
    if (folder.filename().empty()) continue;  // a slash at its end
    folders.push_back(folder);
  }
  folders.push_back(end);
  return folders;
}

std::uint64_t left(std::uint64_t limit, std::uint64_t used, std::uint64_t files) {
  return limit - std::min(limit, used - std::min(used, files));
}

}  // namespace

ControlGroups::ControlGroups(const fs::path& root) {
  const std::vector<Mount> mounts = group_mounts(root / "proc/self/mountinfo");
  std::ifstream groups(root / "proc/self/cgroup");  // number:controllers:path
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1), path = line.substr(second + 1);
    for (const Mount& mount : mounts) {
      if (controllers.empty()) {
        if (mount.type == "cgroup2" && version2_.empty()) version2_ = nested_folders(root, mount, path);
        continue;
      }
      if (mount.type != "cgroup") continue;
      const auto find = [&](const char* controller, std::vector<fs::path>& folders) {
        if (folders.empty() && lists(controllers, controller) && lists(mount.options, controller)) {
          folders = nested_folders(root, mount, path);
        }
      };
      find("memory", version1_memory_);
      find("cpu", version1_cores_);
    }
  }
}

std::uint64_t ControlGroups::memory_left() const {
  std::uint64_t least = no_number;
  for (const fs::path& folder : version2_) {
    const std::uint64_t limit = read_number(folder / "memory.max", no_number);  // "max" is no number
    if (limit == no_number) continue;
    least = std::min(least, left(limit, read_number(folder / "memory.current", 0),
                                 read_entry(folder / "memory.stat", "inactive_file", 0)));
  }
  for (const fs::path& folder : version1_memory_) {
    const std::uint64_t limit = read_number(folder / "memory.limit_in_bytes", no_number);
    if (limit == no_number) continue;  // without a limit a number near 2⁶³ stands there, which limits nothing
    least = std::min(least, left(limit, read_number(folder / "memory.usage_in_bytes", 0),
                                 read_entry(folder / "memory.stat", "total_inactive_file", 0)));
  }
  return least;
}

double ControlGroups::cores() const {
  double least = std::numeric_limits<double>::infinity();
  const auto grant = [&](double quota, double period) {
    if (quota > 0 && period > 0) least = std::min(least, quota / period);
  };
  for (const fs::path& folder : version2_) {
    std::ifstream file(folder / "cpu.max");  // "150000 100000", or "max 100000"
    double quota = 0, period = 0;
    if (file >> quota >> period) grant(quota, period);
  }
  for (const fs::path& folder : version1_cores_) {
    std::ifstream quota_file(folder / "cpu.cfs_quota_us"), period_file(folder / "cpu.cfs_period_us");
    double quota = 0, period = 0;  // a quota of −1: none
    if (quota_file >> quota && period_file >> period) grant(quota, period);
  }
  return least;
}

}  // namespace priorfit::internal
