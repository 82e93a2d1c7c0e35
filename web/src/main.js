import { h } from "./dom.js";
import { experiment_page } from "./experiment.js";
import { phase_page } from "./phase.js";
import { prediction_page } from "./prediction.js";
import { recommendation_page } from "./recommendation.js";
import { simulation_page } from "./simulation.js";
import { training_page } from "./training.js";

const pages = {
  "priorfit.recommendation/1": { name: "Recommendation", page: recommendation_page },
  "priorfit.experiment/1": { name: "Experiment", page: experiment_page },
  "priorfit.prediction/1": { name: "Prediction", page: prediction_page },
  "priorfit.training/1": { name: "Training", page: training_page },
  "priorfit.simulation/1": { name: "Simulation", page: simulation_page },
  "priorfit.phase/1": { name: "Signal propagation", page: phase_page },
};

const { version, results } = JSON.parse(document.getElementById("results").textContent);
const root = document.getElementById("report");
const known = results.filter((r) => pages[r.schema]);
const title = known.map((r) => r.data?.name).find(Boolean);
document.title = title ? `priorfit · ${title}` : "priorfit report";

/** A result that lacks something hides itself only, and says so. */
function page_of(result) {
  try {
    return pages[result.schema].page(result, version);
  } catch (error) {
    return h("article", {}, h("h2", {}, `The ${pages[result.schema].name.toLowerCase()} cannot be shown.`),
      h("p", { class: "lead" }, `Its file lacks something that this page needs: ${error.message}`));
  }
}

const articles = known.map((result, i) => {
  const article = page_of(result);
  article.id = `result-${i + 1}`;
  return article;
});
root.replaceChildren(
  h("div", { class: "masthead" },
    h("h1", {}, "priorfit"),
    articles.length > 1 && h("nav", { "aria-label": "Results" },
      known.map((r, i) => h("a", { href: `#result-${i + 1}` }, pages[r.schema].name)))),
  ...articles);
