// How idle threads of the pool wait.
#pragma once

namespace priorfit::cli {

/// libgomp lets a thread without work spin for milliseconds before it sleeps. With other processes on the machine the
/// spinning takes the very core that the thread with work is waiting for: with three processes per core a search over
/// 500 samples took eight times as long. libgomp reads its settings when it is loaded, so this sets GOMP_SPINCOUNT,
/// unless the user has set it or OMP_WAIT_POLICY, and starts the program anew in its own place.
void wait_briefly(char** arguments);

}  // namespace priorfit::cli
