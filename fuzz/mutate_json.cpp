// JSON that stays JSON, by itself or within a file.
#include <algorithm>
#include <array>
#include <cstring>
#include <nlohmann/json.hpp>

#include "mutate.hpp"

namespace priorfit::fuzz {
namespace {

using Json = nlohmann::ordered_json;

/// The writer takes a stack frame for each level.
bool is_shallow(std::string_view text) {
  int depth = 0;
  for (const char c : text) {
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
    if (depth > 200) return false;
  }
  return true;
}

Json& random_value(Json& root, Random& random) {
  Json* value = &root;
  while (value->is_structured() && !value->empty() && pick(random, 5) != 0) {
    value = &*std::next(value->begin(), static_cast<std::ptrdiff_t>(pick(random, value->size())));
  }
  return *value;
}

Json another(Random& random) {
  switch (pick(random, 8)) {
    case 0: return nullptr;
    case 1: return pick(random, 2) == 0;
    case 2: return static_cast<std::int64_t>(random()) - (std::int64_t{1} << 30);
    case 3: return pick(random, 4);
    case 4: {
      constexpr std::array numbers = {1e300, -1e300, 5e-324, 0.5, 9007199254740993.0, 1.8446744073709552e19, -0.0, 1e6};
      return numbers[pick(random, numbers.size())];
    }
    case 5: return "</script>";
    case 6: return Json::array();
    default: return Json::object();
  }
}

void change(Json& root, std::size_t largest, Random& random) {
  Json& value = random_value(root, random);
  switch (pick(random, 7)) {
    case 0: value = another(random); break;
    case 1: value = Json(random_value(root, random)); break;  // as it stands elsewhere
    case 2:
      if (value.is_structured() && !value.empty()) {
        value.erase(std::next(value.begin(), static_cast<std::ptrdiff_t>(pick(random, value.size()))));
      }
      break;
    case 3:
      if (value.is_array())
        value.insert(value.end(), pick(random, 9) + 1, value.empty() ? another(random) : Json(value[0]));
      break;
    case 4:
      if (value.is_object()) value["a"] = another(random);
      break;
    case 5:
      if (value.is_string()) {
        std::string text = value.get<std::string>();
        mutate_bytes(text, std::min<std::size_t>(largest, text.size() + 64), random);
        value = text;
      }
      break;
    default:
      if (value.is_number_integer()) value = value.get<std::int64_t>() + static_cast<int>(pick(random, 3)) - 1;
      if (value.is_number_float()) value = value.get<double>() * (pick(random, 2) == 0 ? -1.0 : 1e10);
  }
}

}  // namespace

std::string mutate_json(std::string_view bytes, std::size_t largest, Random& random) {
  if (pick(random, 4) == 0 || !is_shallow(bytes)) return mutate_blindly(bytes, largest, random);
  Json root = Json::parse(bytes, nullptr, /*allow_exceptions=*/false);
  if (root.is_discarded()) return mutate_blindly(bytes, largest, random);
  for (std::size_t i = 1 + pick(random, 3); i > 0; --i) change(root, largest, random);
  return root.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string mutate_report(std::string_view bytes, std::size_t largest, Random& random) {
  if (bytes.empty() || largest < 2 || pick(random, 16) == 0) return mutate_blindly(bytes, largest, random);
  return std::string(1, bytes[0]) + mutate_json(bytes.substr(1), largest - 1, random);
}

std::string mutate_checkpoint(std::string_view bytes, std::size_t largest, Random& random) {
  constexpr std::size_t begin = 16 + sizeof(std::uint64_t);
  constexpr std::size_t parameters = 7 * sizeof(float);  // of the network of fuzz/checkpoint.cpp
  std::uint64_t length = 0;
  if (bytes.size() >= begin) std::memcpy(&length, bytes.data() + 16, sizeof length);
  if (bytes.size() < begin || length > bytes.size() - begin) return mutate_blindly(bytes, largest, random);
  std::string header(bytes.substr(begin, length)), values(bytes.substr(begin + length));
  if (pick(random, 8) == 0) {
    mutate_bytes(values, largest, random);
  } else {
    header = mutate_json(header, largest, random);
  }
  const bool has_best = header.find("\"best_epoch\":null") == std::string::npos;
  if (pick(random, 8) != 0) values.resize(has_best ? 4 * parameters : 3 * parameters);
  length = header.size() + (pick(random, 32) == 0 ? 1 : 0);
  return std::string(bytes.substr(0, 16)) + std::string(reinterpret_cast<const char*>(&length), sizeof length) +
         header + values;
}

}  // namespace priorfit::fuzz
