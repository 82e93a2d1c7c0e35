#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "priorfit/signal.hpp"
#include "priorfit/version.hpp"
#include "signal/signal_json.hpp"
#include "support/word_table.hpp"

namespace priorfit {
using namespace internal;
namespace {

std::string head(const PhaseMap& map) {
  return fmt::format("signal propagation of {} by σ_w² (across) and σ_b² (down), depth {}\n",
                     map.options.activation.name(), map.options.depth);
}

/// One letter a cell: the phase, in capitals where a signal crosses all layers.
char letter(const PhaseMap& map, const SignalPropagation& cell) {
  if (cell.phase == Phase::critical) return '*';
  if (cell.phase == Phase::ordered) return map.survives(cell) ? 'O' : 'o';
  return map.survives(cell) ? 'C' : 'c';
}

std::string critical_text(const std::optional<CriticalPoint>& point) {
  return point ? fmt::format("{:.6f}", point->weight_variance) : "none";
}

std::string fixed_point_text(const std::optional<CriticalPoint>& point) {
  if (!point) return "";
  return fmt::format("{:.6g}", point->fixed_point) + (point->reached ? "" : fmt::format(" † {:.6f}", point->turns_at));
}

WordTable phase_table(const PhaseMap& map) {
  WordTable table{.alignment = "r", .rows = {{"σ_b² \\ σ_w²"}}};
  for (const double w : map.options.weight_variances) table.rows[0].push_back(fmt::format("{:.4g}", w));
  table.rows[0].insert(table.rows[0].end(), {"critical σ_w²", "q*"});
  for (std::size_t i = 0; i < map.cells.size(); ++i) {
    table.rows.push_back({fmt::format("{:g}", map.options.bias_variances[i])});
    for (const SignalPropagation& cell : map.cells[i]) table.rows.back().emplace_back(1, letter(map, cell));
    table.rows.back().insert(table.rows.back().end(),
                             {critical_text(map.critical[i]), fixed_point_text(map.critical[i])});
  }
  return table;
}

std::string legend(const PhaseMap& map) {
  const double reach = std::exp(-6.0 / static_cast<double>(map.options.depth));
  const bool all_reached =
      std::all_of(map.critical.begin(), map.critical.end(), [](const auto& point) { return !point || point->reached; });
  return fmt::format(
      "o ordered (χ₁ < 1: inputs become alike, gradients vanish); c chaotic (χ₁ > 1 or q* = ∞: gradients or variances "
      "grow); * critical\n"
      "O, C: still crossed by a signal, depth {0} <= 6 ξ with ξ = 1/|log χ₁|, that is {1:.3f} <= χ₁ <= {2:.3f};\n"
      "o, c: it dies within {0} layers\n{3}",
      map.options.depth, reach, 1 / reach,
      all_reached
          ? ""
          : "† a signal of variance 1 does not settle at this q*: its phases change at the σ_w² that follows\n");
}

}  // namespace

std::string to_table(const PhaseMap& map) { return head(map) + "\n" + aligned(phase_table(map)) + "\n" + legend(map); }

std::string to_markdown(const PhaseMap& map) {
  return paragraphs(head(map)) + markdown(phase_table(map)) + "\n" + paragraphs(legend(map));
}

std::string to_csv(const PhaseMap& map) {
  std::string out = "weight_variance,bias_variance,fixed_point,chi,depth_scale,phase,survives\n";
  for (std::size_t i = 0; i < map.cells.size(); ++i) {
    for (std::size_t j = 0; j < map.cells[i].size(); ++j) {
      const SignalPropagation& cell = map.cells[i][j];
      out += fmt::format("{},{},{:.12g},{:.12g},{:.12g},{},{}\n", map.options.weight_variances[j],
                         map.options.bias_variances[i], cell.fixed_point, cell.chi, cell.depth_scale,
                         to_string(cell.phase), map.survives(cell));
    }
  }
  return out;
}

std::string to_json(const PhaseMap& map) {
  Json json;
  json["schema"] = "priorfit.phase/1";
  json["version"] = version();
  if (!map.command.empty()) json["command"] = map.command;
  json["network"] = {{"depth", map.options.depth}, {"activation", map.options.activation.name()}};
  json["cells"] = Json::array();
  json["critical_line"] = Json::array();
  for (std::size_t i = 0; i < map.cells.size(); ++i) {
    const double b = map.options.bias_variances[i];
    for (std::size_t j = 0; j < map.cells[i].size(); ++j) {
      const SignalPropagation& cell = map.cells[i][j];
      Json entry = {{"weight_variance", map.options.weight_variances[j]}, {"bias_variance", b}};
      entry.update(signal_json(cell));
      entry["survives"] = map.survives(cell);
      json["cells"].push_back(std::move(entry));
    }
    if (!map.critical[i]) continue;
    json["critical_line"].push_back({{"bias_variance", b},
                                     {"weight_variance", map.critical[i]->weight_variance},
                                     {"fixed_point", map.critical[i]->fixed_point},
                                     {"reached", map.critical[i]->reached},
                                     {"turns_at", map.critical[i]->turns_at}});
  }
  return json_text(json);
}

}  // namespace priorfit
