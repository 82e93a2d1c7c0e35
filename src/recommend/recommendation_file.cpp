#include "priorfit/recommendation_file.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "priorfit/error.hpp"
#include "support/file_io.hpp"

namespace priorfit {
namespace {

constexpr std::uint64_t size_limit = 100'000'000;
constexpr std::string_view schema = "priorfit.recommendation/1";

}  // namespace

StoredRecommendation read_recommendation(const std::filesystem::path& path) {
  const std::string text = read_file(path, size_limit);
  const auto fail = [&](const std::string& what) {
    return Error(ErrorKind::data, fmt::format("{}: not a recommendation: {}", path.string(), what));
  };
  StoredRecommendation stored;
  try {
    const nlohmann::json json = nlohmann::json::parse(text);
    if (json.at("schema") != schema) throw fail(fmt::format("schema is {}", json.at("schema").dump()));
    const nlohmann::json& best = json.at("recommended");
    stored.prior = {best.at("weight_variance").get<double>(), best.at("bias_variance").get<double>()};
    stored.noise_variance = best.at("noise_variance").get<double>();
    stored.depth = json.at("network").at("depth").get<Index>();
    stored.activation = Activation::parse(json.at("network").at("activation").get<std::string>());
    stored.features = json.at("data").at("features").get<Index>();
    stored.outputs = json.at("data").at("outputs").get<Index>();
    stored.prior.validate();
  } catch (const nlohmann::json::exception& error) {
    throw fail(error.what());
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::data) throw;
    throw fail(error.what());
  }
  return stored;
}

}  // namespace priorfit
