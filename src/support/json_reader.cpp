#include "support/json_reader.hpp"

#include <fmt/format.h>

#include <unordered_set>
#include <utility>
#include <vector>

#include "priorfit/error.hpp"
#include "support/text_hash.hpp"

namespace priorfit::internal {
namespace {

class Builder final : public Json::json_sax_t {
 public:
  Builder(const JsonLimits& limits, const std::string& name) : limits_(limits), name_(name) {}

  Json take() { return std::move(root_); }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t&) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    Level& level = levels_.back();
    if (!level.names.insert(name).second) fail(fmt::format("the name '{}' is there twice", name));
    level.key_kept = level.value != nullptr && (levels_.size() > 1 || !limits_.keeps || limits_.keeps(name));
    level.key = std::move(name);
    return true;
  }

  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& error) override {
    fail(fmt::format("not JSON: {}", json_problem(error)));
  }

 private:
  struct Level {
    Json* value = nullptr;  // the object or list itself; null when it is passed over
    std::unordered_set<std::string, TextHash> names;
    std::string key;  // of the value that comes next
    bool key_kept = true;
  };

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorKind::data, fmt::format("{}: {}", name_, what));
  }

  /// Where the value that comes next is put, or null when it is passed over. Appends without looking for the name,
  /// which is known to be new.
  Json* place(Json&& value) {
    if (++values_ > limits_.most_values) fail(fmt::format("holds more than {} values", limits_.most_values));
    if (levels_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    Level& level = levels_.back();
    if (level.value == nullptr || static_cast<int>(levels_.size()) > limits_.deepest_kept) return nullptr;
    if (level.value->is_array()) {
      auto& list = level.value->get_ref<Json::array_t&>();
      list.push_back(std::move(value));
      return &list.back();
    }
    if (!level.key_kept) return nullptr;
    auto& members = level.value->get_ref<Json::object_t&>();
    members.push_back({std::move(level.key), std::move(value)});
    return &members.back().second;
  }

  bool add(Json&& value) {
    place(std::move(value));
    return true;
  }

  bool open(Json&& value) {
    if (static_cast<int>(levels_.size()) >= limits_.deepest)
      fail(fmt::format("nested more than {} deep", limits_.deepest));
    Level level;
    level.value = place(std::move(value));
    levels_.push_back(std::move(level));
    return true;
  }

  bool close() {
    levels_.pop_back();
    return true;
  }

  const JsonLimits& limits_;
  const std::string& name_;
  Json root_;
  std::vector<Level> levels_;
  std::size_t values_ = 0;
};

}  // namespace

Json read_json(std::string_view text, const JsonLimits& limits, const std::string& name) {
  // The JSON library takes a zero byte for the end and whatever follows it for nothing.
  if (text.find('\0') != std::string_view::npos) {
    throw Error(ErrorKind::data, fmt::format("{}: not JSON: it holds a zero byte", name));
  }
  Builder builder(limits, name);
  Json::sax_parse(text, &builder);
  return builder.take();
}

}  // namespace priorfit::internal
