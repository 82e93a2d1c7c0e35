// Weight files: a length, a JSON header of tensors with places, and the values.
#include <algorithm>
#include <array>
#include <cstring>
#include <nlohmann/json.hpp>

#include "mutate.hpp"

namespace priorfit::fuzz {
namespace {

using Json = nlohmann::ordered_json;

/// Offsets one after another, as the shapes need them; false where they cannot be.
bool fit_places(Json& header, std::string& values, std::size_t largest) {
  std::uint64_t offset = 0;
  for (auto& [name, tensor] : header.items()) {
    if (name == "__metadata__" || !tensor.is_object() || !tensor.contains("shape")) continue;
    std::uint64_t bytes = 4;
    for (const Json& size : tensor["shape"]) {
      if (!size.is_number_unsigned() || __builtin_mul_overflow(bytes, size.get<std::uint64_t>(), &bytes)) return false;
    }
    if (bytes > largest || offset + bytes > largest) return false;
    tensor["data_offsets"] = {offset, offset + bytes};
    offset += bytes;
  }
  const std::string pattern = values.empty() ? std::string(4, '\0') : values.substr(0, 64);
  while (values.size() < offset) values += pattern;
  values.resize(offset);
  return true;
}

Json tensor(std::uint64_t outputs, std::uint64_t inputs) {
  Json shape = inputs == 0 ? Json{outputs} : Json{outputs, inputs};
  return {{"dtype", "F32"}, {"shape", shape}, {"data_offsets", {0, 0}}};
}

void change_a_tensor(Json& header, Random& random) {
  constexpr std::array names = {"layers.0.weight", "layers.0.bias", "layers.1.weight", "layers.1.bias",
                                "layers.2.weight", "0.weight",      "0.bias",          "2.weight",
                                "dense/kernel",    "__metadata__"};
  constexpr std::array sizes = {0ULL, 1ULL, 2ULL, 3ULL, 5ULL, 4294967296ULL, 9007199254740993ULL};
  constexpr std::array types = {"F32", "F64", "F16", "BF16", "I64", "", "f32"};
  if (header.empty()) header[names[0]] = tensor(2, 3);
  const auto chosen = std::next(header.begin(), static_cast<std::ptrdiff_t>(pick(random, header.size())));
  const std::string name = chosen.key();
  Json& value = *chosen;
  switch (pick(random, 9)) {
    case 0: header[names[pick(random, names.size())]] = tensor(1 + pick(random, 4), pick(random, 4)); break;
    case 1: header.erase(name); break;
    case 2: value["dtype"] = types[pick(random, types.size())]; break;
    case 3: value["data_offsets"] = {sizes[pick(random, sizes.size())], sizes[pick(random, sizes.size())]}; break;
    case 4: value["extra"] = 1; break;
    case 5: header["__metadata__"]["activation"] = pick(random, 2) == 0 ? Json("tanh") : Json(1); break;
    case 6: {  // to the end
      const Json moved = value;
      header.erase(name);
      header[name] = moved;
      break;
    }
    default:
      if (!value.contains("shape") || !value["shape"].is_array()) value["shape"] = Json::array();
      if (value["shape"].empty() || pick(random, 6) == 0) value["shape"].push_back(1);
      if (pick(random, 6) == 0) value["shape"].erase(value["shape"].size() - 1);
      if (!value["shape"].empty())
        value["shape"][pick(random, value["shape"].size())] = sizes[pick(random, sizes.size())];
  }
}

}  // namespace

std::string mutate_safetensors(std::string_view bytes, std::size_t largest, Random& random) {
  std::uint64_t length = 0;
  std::string text = "{}", values;
  if (bytes.size() >= 8) {
    std::memcpy(&length, bytes.data(), 8);
    text = bytes.substr(8, length);
    values = bytes.substr(std::min<std::uint64_t>(bytes.size(), 8 + std::min<std::uint64_t>(length, bytes.size())));
  }
  Json header = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  const std::size_t kind = pick(random, 8);
  if (kind == 0 || (kind < 6 && !header.is_object())) {
    mutate_bytes(text, std::min<std::size_t>(largest, 3'000'000), random);
  } else if (kind < 6) {
    try {
      change_a_tensor(header, random);
      if (pick(random, 8) != 0) fit_places(header, values, largest);
      text = header.dump();
      if (pick(random, 4) == 0) text.append(pick(random, 9), pick(random, 2) == 0 ? ' ' : '\0');
    } catch (const Json::exception&) {  // the header is of another kind
      mutate_bytes(text, largest, random);
    }
  } else {
    mutate_bytes(values, largest, random);
  }
  length = text.size() + (pick(random, 32) == 0 ? 1 : 0);
  return std::string(reinterpret_cast<const char*>(&length), 8) + text + values;
}

}  // namespace priorfit::fuzz
