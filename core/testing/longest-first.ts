// Decides the order of test files: the longest first, so that none of them is alone at the end while other workers have nothing to do. What each
// took is read from the last run on this machine; a new clone has none, and reads the list of long files that is kept with the sources.

import { existsSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const root = join(import.meta.dirname, '..', '..')
const kept = join(import.meta.dirname, 'long-files.json')
const last = join(root, 'node_modules', '.cache', 'test-costs.json')

const read = (file: string): Record<string, number> =>
  existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, number>) : {}

export class LongestFirst extends BaseSequencer {
  /** Keeps the files of a project, and of an environment in it, together: a worker goes on with the next file only where both are the same. */
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const seconds = { ...read(kept), ...read(last) }
    const secondsOf = ({ moduleId }: TestSpecification) => seconds[relative(root, moduleId)] ?? 0
    const groups = Map.groupBy(files, (file) => `${file.project.config.sequence.groupOrder} ${file.project.name} ${environmentOf(file)}`)
    return [...groups.keys()].toSorted().flatMap((name) => (groups.get(name) ?? []).toSorted((a, b) => secondsOf(b) - secondsOf(a)))
  }
}

/** Reads the environment that a file names for itself; vitest does the same. */
function environmentOf({ moduleId, project }: TestSpecification): string {
  return /@vitest-environment\s+(\S+)/.exec(readFileSync(moduleId, 'utf8'))?.[1] ?? project.config.environment
}
