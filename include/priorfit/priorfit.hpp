// Everything.
#pragma once

#include "priorfit/activation.hpp"
#include "priorfit/dataset.hpp"
#include "priorfit/error.hpp"
#include "priorfit/evidence.hpp"
#include "priorfit/experiment.hpp"
#include "priorfit/kernel.hpp"
#include "priorfit/matrix.hpp"
#include "priorfit/mlp.hpp"
#include "priorfit/network.hpp"
#include "priorfit/predict.hpp"
#include "priorfit/recommend.hpp"
#include "priorfit/recommendation_file.hpp"
#include "priorfit/simulate.hpp"
#include "priorfit/version.hpp"
#include "priorfit/weights.hpp"
