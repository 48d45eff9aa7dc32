#!/usr/bin/env node
// What npx runs. The Node that the machine has may be too old for the rest; like the npm scripts, this hands over to Node 24
// out of node_modules, and installs it first where it is missing.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { ensureDependencies } from '../../tools/setup/dependencies.mjs'
import { node } from '../../tools/setup/programs.mjs'

try {
  await ensureDependencies()
  const { status, signal, error } = spawnSync(node, [fileURLToPath(new URL('main.ts', import.meta.url)), ...process.argv.slice(2)], {
    stdio: 'inherit',
  })
  if (error) throw error
  process.exitCode = signal ? 1 : (status ?? 2)
} catch (error) {
  console.error(error?.sentence ?? error)
  process.exitCode = 2
}
