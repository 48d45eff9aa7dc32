// No test is judged by passed time: on a busy machine it is another at each run. What a test guards is counted instead, as processor time
// (standards/processor-time.fixture.ts), as operations, or as what came before what; and what must come is waited for by name (expect.poll,
// core/testing/until.ts). Checked over everything that tests consist of.

import { parseSync } from 'oxc-parser'

export type Breach = { file: string; line: number; says: string }

/** Guards against hanging alone are at least so long. */
const leastLimit = 60_000

/** What may look at the clock, and why. */
const exceptions: Record<string, string> = {
  'core/testing/cost.ts': 'tells what a file cost; no assertion is made of it',
  'core/testing/crash-check.ts': 'the seconds of a recovery are a figure of the benchmark',
  'core/testing/crash-clients.ts': 'the longest wait of a client is a figure of the benchmark',
  'core/testing/crash-server.ts': 'a question whose answer does not come is asked again',
  'core/testing/crash.ts': 'a blow falls at a random moment, and what follows it too',
  'core/testing/prepared.ts': 'forgets the prepared databases of other days',
  'core/testing/until.ts': 'the place where waiting is written',
  'core/server/streams.test.ts': 'a stream of the test says something again and again',
  'tools/clock.test.ts': 'tells what is refused',
  'core/server/repeats.test.ts': 'slow work for many requests at once; no assertion is made of its time',
  'e2e/bad-input/cost.ts': 'asks plain questions at intervals, and counts them',
  'e2e/protocols/acme-crash.test.ts': 'a blow falls at a moment of chance',
  'e2e/support/authenticator.ts': 'codes come from the clock: who has used two in a minute waits for the next',
  'e2e/support/product.ts': 'ends what hangs',
}

const isTest =
  /^(?:standards|core|areas|apps|tools|e2e)\/.*(?:\.test|\.fixture)\.tsx?$|^core\/testing\/.*\.ts$|^core\/console\/testing\/.*\.tsx?$|^e2e\/.*\.ts$/
/** Most files have none of it and need not be parsed. */
const mayBreach = /performance\.now|Date\.now|new Date\(\)|hrtime|setTimeout|timers\/promises|[tT]imeout|pg_sleep|vi\.wait|\b[\d_]+\)$/m

type Node = { type: string; start: number; [field: string]: unknown }

export function checkClock(files: readonly string[], read: (file: string) => string, allowed = exceptions): Breach[] {
  return files.flatMap((file): Breach[] => {
    if (!isTest.test(file)) return []
    const text = read(file)
    const found = mayBreach.test(text) ? breachesOf(file, text) : []
    if (!Object.hasOwn(allowed, file)) return found
    return found.length > 0
      ? []
      : [{ file, line: 1, says: 'it does not look at the clock any more: take it out of the list in tools/clock.ts' }]
  })
}

function breachesOf(file: string, text: string): Breach[] {
  const { program } = parseSync(file, text)
  const lineOf = (offset: number) => text.slice(0, offset).split('\n').length
  return [...allOf(program)].flatMap((node) => {
    const says = judge(node)
    return says === undefined ? [] : [{ file, line: lineOf(node.start), says }]
  })
}

function* allOf(value: unknown): Generator<Node> {
  if (typeof value !== 'object' || value === null) return
  if (isNode(value)) yield value
  for (const one of Object.values(value)) yield* allOf(one)
}

const isNode = (value: object): value is Node => 'type' in value && typeof value.type === 'string' && 'start' in value

const measures = 'passed time differs at each run: count processor time, operations, or what comes before what'
const sleeps = 'a sleep is too short on a busy machine and too long on any other: wait for what must come, with expect.poll or until'
const isShort = `a limit guards against hanging alone, and is ${leastLimit / 1000} s at least: leave it out`

function judge(node: Node): string | undefined {
  if (node.type === 'BinaryExpression' && isMeasured(node)) return measures
  if (node.type === 'VariableDeclarator' && isCallOf(node['init'], /^performance\.now$/)) return measures
  if (node.type === 'ImportDeclaration' && /^(?:node:)?timers(?:\/promises)?$/.test(textOf(node['source'])) && namesSetTimeout(node))
    return sleeps
  if (/^(?:Literal|TemplateElement)$/.test(node.type) && /\bpg_sleep\(/.test(textOf(node))) return sleeps
  if (node.type === 'Property' && nameOf(node['key']) === 'timeout' && isTooShort(node['value'])) return isShort
  if (node.type !== 'CallExpression') return undefined
  const called = nameOf(node['callee'])
  if (/(?:^|\.)(?:setTimeout|waitForTimeout)$/.test(called)) return sleeps
  if (/(?:^|\.)hrtime(?:\.bigint)?$/.test(called)) return measures
  if (/^vi\.wait(?:For|Until)$/.test(called)) return 'its limit is a second: use expect.poll, whose limit guards against hanging alone'
  const isLimited =
    /^(?:test|it|describe|beforeAll|beforeEach|afterAll|afterEach)\b|(?:^|\.)(?:setDefault(?:Navigation)?Timeout|AbortSignal\.timeout)$/
  return isLimited.test(called) && isTooShort(argumentsOf(node).at(-1)) ? isShort : undefined
}

/** A clock is taken from what was noted before, or compared with it. A moment so many seconds ago or ahead is no measure. */
function isMeasured({ operator, left, right }: Node): boolean {
  const clock = /^(?:performance|Date)\.now$/
  const isClock = (value: unknown) => isCallOf(value, clock) || (isCallOf(value, /^\.getTime$/) && /^new Date$/.test(receiverOf(value)))
  if (operator === '-') return (isClock(left) && isNoted(right)) || (isNoted(left) && isClock(right))
  return typeof operator === 'string' && /^[<>]=?$/.test(operator) && (isClock(left) || isClock(right))
}

const inner = (node: Node): Node => {
  const within = node['expression']
  return node.type === 'ParenthesizedExpression' && typeof within === 'object' && within !== null && isNode(within) ? inner(within) : node
}

const isNoted = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  isNode(value) &&
  /^(?:Identifier|MemberExpression|AwaitExpression)$/.test(inner(value).type)

const isCallOf = (value: unknown, name: RegExp): boolean =>
  typeof value === 'object' && value !== null && isNode(value) && value.type === 'CallExpression' && name.test(nameOf(value['callee']))

/** `a.b.c`, as far as it is made of names. */
function nameOf(value: unknown): string {
  if (typeof value !== 'object' || value === null || !isNode(value)) return ''
  if (value.type === 'Identifier') return String(value['name'])
  if (value.type === 'MemberExpression') return `${nameOf(value['object'])}.${nameOf(value['property'])}`
  return value.type === 'CallExpression' ? nameOf(value['callee']) : ''
}

/** `new Date` of `new Date().getTime()`. */
function receiverOf(value: unknown): string {
  const made = Object(Object(Object(value)['callee'])['object'])
  return made.type === 'NewExpression' && argumentsOf(made).length === 0 ? `new ${nameOf(made.callee)}` : ''
}

const argumentsOf = (node: Node): unknown[] => (Array.isArray(node['arguments']) ? node['arguments'] : [])
const isTooShort = (value: unknown): boolean => typeof Object(value).value === 'number' && Object(value).value < leastLimit
const textOf = (value: unknown): string => String(Object(value).value?.raw ?? Object(value).value ?? '')
const namesSetTimeout = (node: Node): boolean =>
  (Array.isArray(node['specifiers']) ? node['specifiers'] : []).some(
    (one: unknown) => Object(one).type !== 'ImportSpecifier' || nameOf(Object(one).imported) === 'setTimeout',
  )
