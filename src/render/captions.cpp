#include "render/captions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "criteria/risk_preference.hpp"
#include "recommend/starts.hpp"
#include "render/advice.hpp"
#include "render/figures.hpp"

namespace priorfit::internal {
namespace {

bool classes(const Recommendation& r) { return r.data.task == Task::classification; }

const TrainedRisk* risk_of(const Candidate& start) {
  const Score* score = start.find("trained-risk");
  return score && score->ok() ? score->risk() : nullptr;
}

std::string starts_caption(const Recommendation& r) {
  const std::string metric = classes(r) ? "accuracy" : "RMSE";
  const std::string& current = r.advice->names.front();
  if (!r.advice->pilots) {
    return fmt::format("Predicted {}, for squared error, ± one standard error; the line marks {}.", metric, current);
  }
  const std::vector<StartLine> lines = start_lines(r);
  const bool predicted = std::any_of(lines.begin(), lines.end(), [](const StartLine& l) { return !!l.prediction; });
  return fmt::format("{} measured on rows left out, ± one standard error; the line marks {}.{}",
                     classes(r) ? "Accuracy" : "RMSE", current,
                     predicted ? " Hollow: predicted, for squared error." : "");
}

std::string loss_text(const Recommendation& r, const TrainedRisk& risk) {
  if (risk.accuracy) return fmt::format("{:.2f} %", 100 * risk.loss());
  return r.advice ? fmt::format("{:.4g}", std::sqrt(risk.error) * r.target_scale) : error_text(risk.error);
}

/// Empty where fewer than two starts have a prediction.
std::string predicted_caption(const Recommendation& r) {
  const std::vector<Candidate> all = listed_candidates(r);
  const Candidate *least = nullptr, *most = nullptr;
  for (const Candidate& start : all) {
    const TrainedRisk* risk = risk_of(start);
    if (!risk) continue;
    if (!least || risk->loss() < risk_of(*least)->loss()) least = &start;
    if (!most || risk->loss() > risk_of(*most)->loss()) most = &start;
  }
  if (!least || least == most) return {};
  const char* what = classes(r) ? "share of wrong classes" : r.advice ? "RMSE" : "squared error";
  std::string text =
      fmt::format("The {} predicted for training on squared error: least, {}, from {}; most, {}, from {}.", what,
                  loss_text(r, *risk_of(*least)), spoken_name(least->start), loss_text(r, *risk_of(*most)),
                  spoken_name(most->start));
  if (const std::size_t good = as_good_starts(r).size(); good > 0) {
    text += fmt::format(" Hatched: {} of {} starts, which {} tell from the best.", good, all.size(),
                        r.advice && r.advice->pilots ? "theory and pilots do not" : "the prediction does not");
  }
  return text;
}

/// About the surface around the evidence's maximum; a map of a grid needs no words about its sample.
std::string evidence_caption(const Recommendation& answer) {
  const Recommendation r = about_the_evidence(answer);
  if (!r.continuous() || !r.continuous()->surface) return {};
  std::string text =
      fmt::format("The evidence of pairs that all layers share is highest at {}.", spoken_name(r.chosen.start));
  if (r.continuous()->surface->samples < r.data.samples) {
    text += fmt::format(" The map is drawn from {} of the rows; its own peak may lie beside that.",
                        r.continuous()->surface->samples);
  }
  return text;
}

}  // namespace

std::vector<Candidate> listed_candidates(const Recommendation& r) {
  if (r.advice) return r.advice->starts;
  std::vector<Candidate> listed = {r.chosen};
  const auto add = [&](const Candidate& candidate) {
    if (!(candidate.start == r.chosen.start)) listed.push_back(candidate);
  };
  if (const GridTrace* grid = r.grid()) {
    for (const Candidate& cell : grid->cells) add(cell);
    if (grid->least) add(*grid->least);
  } else {
    for (const LocalOptimum& optimum : r.continuous()->optima) add(optimum.candidate);
  }
  listed.insert(listed.end(), r.baselines.begin(), r.baselines.end());
  return listed;
}

std::vector<std::size_t> as_good_starts(const Recommendation& r) {
  if (r.advice) return r.advice->as_good;
  std::vector<std::size_t> found;
  if (r.criterion != "trained-risk") return found;
  const std::vector<Candidate> all = listed_candidates(r);
  const Candidate* least = least_risk(all);
  if (!least) return found;
  const double enough = least->risk().loss() * (1 + preference_tolerance(classes(r)));
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (const TrainedRisk* risk = risk_of(all[i]); risk && risk->loss() <= enough) found.push_back(i);
  }
  return found;
}

std::vector<Sentence> captions(const Recommendation& r) {
  std::vector<Sentence> all;
  const auto say = [&](const char* kind, std::string text) {
    if (!text.empty()) all.push_back({kind, std::move(text)});
  };
  if (r.advice) say("starts", starts_caption(r));
  say("predicted", predicted_caption(r));
  say("evidence", evidence_caption(r));
  return all;
}

}  // namespace priorfit::internal
