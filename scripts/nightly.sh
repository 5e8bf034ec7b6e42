#!/usr/bin/env bash
# npm run nightly: what takes hours, or differs from run to run. It ends with the first that fails, and each prints how to repeat it.
set -euo pipefail
cd "$(dirname "$0")/.."

npm run api:spectral
# The tests that NIGHTLY adds, and those that have random cases.
NIGHTLY=1 npx vitest run --mode nightly test/flows/plans test/flows/occupancy test/engine/full-lanes test/contracts test/schemas scripts/migrations test/simulation/simulation.test.ts
npm run fuzz -- --requests 10000
npm run bench:far -- --samples 1
npm run bench:growth -- --rows 1000 --samples 1
npm run soak:crash
npm run soak:load
npm run soak:import
npm run simulate -- --seeds 5000
npm run simulate -- --seeds 1000 --rich
npm run simulate -- --seeds 200 --postgres
npm run simulate -- --seeds 200 --postgres --rich
npm run simulate:mutants
