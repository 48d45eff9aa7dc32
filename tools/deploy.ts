// Lints what `deploy/` holds: the unit by systemd itself, where it is there, and the Containerfile by what a build would trip over and what nobody should run.

import { spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const home = '/opt/chancery'
const instructions = new Set([
  'FROM',
  'WORKDIR',
  'COPY',
  'RUN',
  'USER',
  'ENV',
  'VOLUME',
  'EXPOSE',
  'STOPSIGNAL',
  'HEALTHCHECK',
  'CMD',
  'LABEL',
])

type Instruction = { name: string; rest: string }

const instructionsOf = (text: string): Instruction[] =>
  text
    .replaceAll(/^\s*#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, ' ')
    .split('\n')
    .flatMap((line) => {
      const [, name = '', rest = ''] = /^(\S+)\s+(.*)$/.exec(line.trim()) ?? []
      return name === '' ? [] : [{ name, rest }]
    })

/** A program of the product that is named by where it will lie, or by its path in the checkout. */
const filesIn = (rest: string): string[] =>
  (rest.match(/"(?:\/opt\/chancery\/|apps\/)[^"]*"/g) ?? []).map((quoted) => quoted.slice(1, -1).replace(`${home}/`, ''))

/** What is wrong with a Containerfile that is built from `folder`. */
export function containerFaults(text: string, folder: string = root): string[] {
  const all = instructionsOf(text)
  const of = (wanted: string) => all.flatMap(({ name, rest }) => (name === wanted ? [rest] : []))
  const faults = all.flatMap(({ name }) => (instructions.has(name) ? [] : [`${name} is no instruction that this file uses`]))
  const { dependencies }: { dependencies: Record<string, string> } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const major = dependencies['node']?.split('.')[0]
  for (const image of of('FROM'))
    if (!image.startsWith(`node:${major}-`)) faults.push(`FROM ${image}: not the Node ${major} of package.json`)
  for (const copy of of('COPY')) {
    const words = copy.split(/\s+/)
    if (words[0]?.startsWith('--from=') === true) continue
    for (const source of words.slice(0, -1))
      if (source !== '.' && globSync(source, { cwd: folder }).length === 0) faults.push(`COPY ${source}: not in the checkout`)
  }
  const user = of('USER').at(-1)
  if (user === undefined || /^(?:0|root)\b/.test(user)) faults.push('It would run as root')
  for (const [name, rest] of [
    ...of('CMD').map((one) => ['CMD', one] as const),
    ...of('HEALTHCHECK').map((one) => ['HEALTHCHECK', one] as const),
  ]) {
    if (!/\[.*\]$/.test(rest)) faults.push(`${name}: a shell would stand between the program and its signals`)
    for (const file of filesIn(rest)) if (!existsSync(join(folder, file))) faults.push(`${name}: there is no ${file}`)
  }
  if (of('CMD').length !== 1) faults.push('It has one CMD')
  return faults
}

/** What systemd says of a unit whose programs are those of this checkout. Nothing where there is no systemd. */
export function unitFaults(text: string): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-unit-'))
  const unit = join(folder, 'chancery.service')
  try {
    writeFileSync(unit, text.replaceAll(home, root.replace(/\/$/, '')))
    const { error, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', unit], { encoding: 'utf8' })
    // What it does not understand it leaves out with a warning, and ends well.
    return error === undefined ? stderr.split('\n').filter((line) => line.includes('chancery')) : []
  } finally {
    rmSync(folder, { recursive: true })
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const faults = [
    ...containerFaults(readFileSync(join(root, 'deploy/Containerfile'), 'utf8')).map((fault) => `deploy/Containerfile: ${fault}`),
    ...unitFaults(readFileSync(join(root, 'deploy/chancery.service'), 'utf8')).map((fault) => `deploy/chancery.service: ${fault}`),
  ]
  for (const fault of faults) console.error(fault)
  process.exitCode = faults.length === 0 ? 0 : 1
}
