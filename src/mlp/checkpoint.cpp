#include "mlp/checkpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <optional>

#include "priorfit/error.hpp"
#include "support/checksum.hpp"
#include "support/file_io.hpp"
#include "support/json_reader.hpp"

namespace priorfit::internal {
namespace {

using json = Json;

constexpr std::string_view magic = "priorfit-train-2";
static_assert(magic.size() == 16);
constexpr std::string_view earlier_magic = "priorfit-train-1";
constexpr std::uint64_t header_limit = 100'000'000;  // a million epochs; a file that big holds far larger arrays
constexpr int deepest_header = 4;                    // the header, its history, an epoch, its test
static_assert(std::endian::native == std::endian::little, "the files are little-endian");

using internal::add_to_checksum;

[[noreturn]] void fail_damaged(const std::filesystem::path& path, const std::string& what) {
  throw Error(ErrorKind::data, fmt::format("checkpoint '{}' is damaged: {}; delete it to start from the beginning",
                                           path.string(), what));
}

template <typename T>
json optional_json(const std::optional<T>& value) {
  return value ? json(*value) : json(nullptr);
}

std::optional<double> optional_number(const json& value) {
  return value.is_null() ? std::nullopt : std::optional<double>(value.get<double>());
}

/// JSON has no infinite number: a loss that overflowed is null.
double number_or_nan(const json& value) {
  return optional_number(value).value_or(std::numeric_limits<double>::quiet_NaN());
}

json metrics_json(const std::optional<Metrics>& metrics) {
  if (!metrics) return nullptr;
  return {metrics->samples,
          metrics->loss,
          optional_json(metrics->accuracy),
          optional_json(metrics->rmse),
          optional_json(metrics->r_squared),
          optional_json(metrics->negative_log_likelihood),
          optional_json(metrics->balanced_accuracy),
          optional_json(metrics->top5_accuracy)};
}

std::optional<Metrics> metrics_from_json(const json& value) {
  if (value.is_null()) return std::nullopt;
  return Metrics{.samples = count_from(value.at(0)),
                 .loss = number_or_nan(value.at(1)),
                 .accuracy = optional_number(value.at(2)),
                 .rmse = optional_number(value.at(3)),
                 .r_squared = optional_number(value.at(4)),
                 .negative_log_likelihood = optional_number(value.at(5)),
                 .balanced_accuracy = optional_number(value.at(6)),
                 .top5_accuracy = optional_number(value.at(7))};
}

json record_json(const EpochRecord& record) {
  return {record.train_loss, optional_json(record.train_accuracy), metrics_json(record.test),
          metrics_json(record.validation)};
}

EpochRecord record_from_json(const json& value, Index epoch) {
  return {epoch, number_or_nan(value.at(0)), optional_number(value.at(1)), metrics_from_json(value.at(2)),
          metrics_from_json(value.at(3))};
}

std::string header_text(const RunIdentity& identity, const RunPosition& position) {
  json header;
  header["identity"] = identity;
  header["epoch"] = position.epoch;
  header["batch"] = position.batch;
  header["loss_sum"] = position.loss_sum;
  header["correct"] = position.correct;
  header["steps"] = position.steps;
  header["history"] = json::array();
  for (const EpochRecord& record : position.history) header["history"].push_back(record_json(record));
  header["best_epoch"] = optional_json(position.best_epoch);
  if (position.vanished) header["vanished"] = {position.vanished->layer, position.vanished->epoch};
  return header.dump();
}

RunPosition position_from_json(const json& header) {
  RunPosition position;
  position.epoch = count_from(header.at("epoch"));
  position.batch = count_from(header.at("batch"));
  position.loss_sum = header.at("loss_sum").get<double>();
  position.correct = count_from(header.at("correct"));
  position.steps = static_cast<std::uint64_t>(count_from(header.at("steps")));
  for (const json& record : header.at("history")) {
    position.history.push_back(record_from_json(record, static_cast<Index>(position.history.size()) + 1));
  }
  if (static_cast<Index>(position.history.size()) != position.epoch) {
    throw Error(ErrorKind::data, fmt::format("it holds the history of {} epochs and claims {}", position.history.size(),
                                             position.epoch));
  }
  if (const json& best = header.at("best_epoch"); !best.is_null()) {
    position.best_epoch = count_from(best);
    if (*position.best_epoch < 1 || *position.best_epoch > position.epoch) {
      throw Error(ErrorKind::data, fmt::format("its best epoch is {} of {}", *position.best_epoch, position.epoch));
    }
    if (!position.history[static_cast<std::size_t>(*position.best_epoch) - 1].validation) {
      throw Error(ErrorKind::data, "its best epoch was not validated");
    }
  }
  if (header.contains("vanished")) {
    position.vanished = LayerFault{count_from(header["vanished"].at(0)), count_from(header["vanished"].at(1))};
  }
  return position;
}

// Calls visit on each array of the layers, in the order of the file.
template <typename Layers, typename Visit>
void for_each_array(Layers& layers, const Visit& visit) {
  for (auto& layer : layers) {
    for (auto* parameters : {&layer.weights, &layer.bias}) {
      visit(parameters->values);
      visit(parameters->first_moments);
      visit(parameters->second_moments);
    }
  }
}

// A reader that knows the checksum of what it has read.
class CheckedReader {
 public:
  explicit CheckedReader(const std::filesystem::path& path) : path_(path), source_(path) {}

  void read(std::span<char> bytes) {
    if (source_.read(bytes) != bytes.size()) fail_damaged(path_, "it is cut short");
    checksum_ = add_to_checksum(checksum_, bytes);
  }
  std::string read_text(std::uint64_t size) {
    std::string text;
    if (append_from(source_, size, text) != size) fail_damaged(path_, "it is cut short");
    checksum_ = add_to_checksum(checksum_, text);
    return text;
  }
  template <typename T>
  T read_value() {
    std::array<char, sizeof(T)> bytes;
    read(bytes);
    return std::bit_cast<T>(bytes);
  }
  bool at_end() {
    char byte = 0;
    return source_.read({&byte, 1}) == 0;
  }
  std::uint32_t checksum() const { return checksum_; }

 private:
  std::filesystem::path path_;
  FileSource source_;
  std::uint32_t checksum_ = 0;
};

// The whole file against its checksum, before anything in it is believed.
void verify(const std::filesystem::path& path) {
  FileSource source(path);
  std::array<char, sizeof(std::uint32_t)> tail;
  constexpr std::uint64_t most = std::uint64_t{1} << 20;
  std::vector<char> chunk(static_cast<std::size_t>(std::min(most, source.size_bound())) + tail.size());
  std::uint32_t checksum = 0;
  std::size_t kept = 0;  // the last four bytes read so far are not summed: they may be the checksum itself
  for (;;) {
    std::memcpy(chunk.data(), tail.data(), kept);
    const std::size_t count = kept + source.read(std::span(chunk).subspan(kept));
    if (count < tail.size()) fail_damaged(path, "it is cut short");
    checksum = add_to_checksum(checksum, std::span(chunk).first(count - tail.size()));
    std::memcpy(tail.data(), chunk.data() + count - tail.size(), tail.size());
    kept = tail.size();
    if (count < chunk.size()) break;
  }
  if (std::bit_cast<std::uint32_t>(tail) != checksum) {
    fail_damaged(path, "its checksum does not match, so it is cut short or changed");
  }
}

void check_identity(const std::filesystem::path& path, const RunIdentity& wanted, const RunIdentity& found) {
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const std::string value = i < found.size() && found[i].first == wanted[i].first ? found[i].second : "absent";
    if (value != wanted[i].second) {
      throw Error(ErrorKind::usage,
                  fmt::format("checkpoint '{}' belongs to another run: {} is {} there and {} here; delete it or "
                              "choose another place",
                              path.string(), wanted[i].first, value, wanted[i].second));
    }
  }
}

}  // namespace

BestParameters parameter_values(const std::vector<LayerState<float>>& layers) {
  BestParameters values;
  for (const LayerState<float>& layer : layers) {
    values.push_back(layer.weights.values);
    values.push_back(layer.bias.values);
  }
  return values;
}

void save_checkpoint(const std::filesystem::path& path, const RunIdentity& identity, const RunPosition& position,
                     const std::vector<LayerState<float>>& layers, const BestParameters& best) {
  AtomicFile file(path);
  std::uint32_t checksum = 0;
  const auto write = [&](std::string_view bytes) {
    file.write(bytes);
    checksum = add_to_checksum(checksum, bytes);
  };
  const auto write_value = [&](const auto& value) { write({reinterpret_cast<const char*>(&value), sizeof value}); };
  const std::string header = header_text(identity, position);
  write(magic);
  write_value(std::uint64_t{header.size()});
  write(header);
  const auto write_array = [&](const Buffer<float>& values) {
    write({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)});
  };
  for_each_array(layers, write_array);
  for (const Buffer<float>& values : best) write_array(values);
  const std::uint32_t sum = checksum;
  write_value(sum);
  file.commit();
}

RunPosition load_checkpoint(const std::filesystem::path& path, const RunIdentity& identity,
                            std::vector<LayerState<float>>& layers, BestParameters& best) {
  verify(path);
  CheckedReader reader(path);
  std::string found(magic.size(), '\0');
  reader.read(found);
  if (found == earlier_magic) {
    throw Error(ErrorKind::usage,
                fmt::format("checkpoint '{}' was written by an earlier priorfit, which did not record "
                            "its data and loss; delete it to start from the beginning",
                            path.string()));
  }
  if (found != magic) fail_damaged(path, "it does not begin as a priorfit checkpoint does");
  const auto header_size = reader.read_value<std::uint64_t>();
  if (header_size > header_limit) fail_damaged(path, "its header is too long");
  const std::string text = reader.read_text(header_size);
  RunPosition position;
  try {
    const json header = read_json(text, {.deepest = deepest_header}, "its header");
    check_identity(path, identity, header.at("identity").get<RunIdentity>());
    position = position_from_json(header);
  } catch (const json::exception& error) {
    fail_damaged(path, json_problem(error));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::data) throw;
    fail_damaged(path, error.what());
  }
  const auto read_array = [&](Buffer<float>& values) {
    reader.read({reinterpret_cast<char*>(values.data()), values.size() * sizeof(float)});
  };
  for_each_array(layers, read_array);
  best = position.best_epoch ? parameter_values(layers) : BestParameters{};
  for (Buffer<float>& values : best) read_array(values);
  reader.read_value<std::uint32_t>();  // verified above
  if (!reader.at_end()) fail_damaged(path, "bytes follow its end");
  return position;
}

}  // namespace priorfit::internal
