// Which call or endpoint a method and a path mean. Literal paths are found in a table; paths with parameters are tried in the order
// of their specificity, so that the literal wins (`/revoke` before `:id`). A trailing slash makes no difference.

import type { Call, Method } from '#core/contract/contract.ts'
import { parameter } from '#core/contract/paths.ts'
import type { CallBinding, Endpoint, Room } from './serve.ts'

export type Route = { kind: 'call'; binding: CallBinding } | { kind: 'endpoint'; endpoint: Endpoint }
export type Match = { route: Route; params: Record<string, string> }
export type Found = Match | { allowed: string[] } | undefined

type Pattern = { expression: RegExp; names: string[]; route: Route; method: Method; literals: number }

export type Router = (method: string, path: string) => Found

const methodOf = (route: Route): Method => (route.kind === 'call' ? route.binding.call.method : route.endpoint.method)
export const pathOf = (route: Route): string => (route.kind === 'call' ? route.binding.call.path : route.endpoint.path)

const methods: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

export function makeRouter(rooms: readonly Room[]): Router {
  const routes: Route[] = rooms.flatMap((room) => [
    ...room.calls.map((binding): Route => ({ kind: 'call', binding })),
    ...room.endpoints.map((endpoint): Route => ({ kind: 'endpoint', endpoint })),
  ])
  const literal = new Map<string, Route>()
  const patterns: Pattern[] = []
  const places = routes.flatMap((route) => {
    const older = route.kind === 'call' ? route.binding.call.olderPath : undefined
    return [pathOf(route), ...(older === undefined ? [] : [older])].map((path) => ({ route, path }))
  })
  for (const { route, path } of places) {
    const method = methodOf(route)
    if (!/[:*]/.test(path)) {
      const key = `${method} ${path}`
      if (literal.has(key)) throw new TypeError(`Two routes claim ${key}`)
      literal.set(key, route)
    } else {
      const compiled = compile(path)
      if (patterns.some((other) => other.method === method && other.expression.source === compiled.expression.source))
        throw new TypeError(`Two routes claim ${method} ${path}`)
      patterns.push({ ...compiled, route, method })
    }
  }
  patterns.sort((a, b) => b.literals - a.literals)

  return (method, path) => {
    const bare = path.length > 1 ? path.replace(/\/+$/, '') : path
    const asked = method === 'HEAD' ? 'GET' : method
    const exact = literal.get(`${asked} ${bare}`)
    if (exact !== undefined) return { route: exact, params: {} }
    const fitting = patterns.filter((pattern) => pattern.expression.test(bare))
    const found = fitting.find((pattern) => pattern.method === asked)
    if (found !== undefined) {
      const params = readParams(found, bare)
      return params === undefined ? undefined : { route: found.route, params }
    }
    const allowed = methods.filter((other) => literal.has(`${other} ${bare}`) || fitting.some((pattern) => pattern.method === other))
    return allowed.length > 0 ? { allowed: allowed.flatMap((other) => (other === 'GET' ? ['GET', 'HEAD'] : [other])) } : undefined
  }
}

/** Whether a path is one of these patterns'. */
export function matcherOf(patterns: readonly string[]): (path: string) => boolean {
  const expressions = patterns.map((pattern) => compile(pattern).expression)
  return (path) => expressions.some((expression) => expression.test(path.replace(/(?<=.)\/+$/, '')))
}

/** Says of a path whether it lies where only programs ask: below /api and /api2, and below whatever else calls begin with and no screen does. */
export function callHeads(rooms: readonly Room[]): (path: string) => boolean {
  const headOf = (path: string): string => path.split('/')[1]?.toLowerCase() ?? ''
  const screens = new Set(rooms.flatMap(({ contract }) => Object.values(contract.screens).map(({ path }) => headOf(path))))
  const calls = rooms.flatMap(({ contract }) => Object.values(contract.calls).map(({ path }) => headOf(path)))
  const heads = new Set(['api', 'api2', ...calls.filter((head) => !screens.has(head) && !head.startsWith(':'))])
  return (path) => heads.has(headOf(path))
}

function compile(path: string): { expression: RegExp; names: string[]; literals: number } {
  const names: string[] = []
  let literals = 0
  const source = path
    .split('/')
    .slice(1)
    .map((segment) => {
      if (segment === '*') {
        names.push('rest')
        return '/(.*)'
      }
      const [, name, optional, ending] = parameter.exec(segment) ?? []
      if (name === undefined) {
        literals += 1
        return `/${escape(segment)}`
      }
      names.push(name)
      return optional === '?' ? '(?:/([^/]+))?' : `/([^/]+)${escape(ending ?? '')}`
    })
    .join('')
  return { expression: new RegExp(`^${source}$`), names, literals }
}

const escape = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** The parameters decoded; undefined where one is not valid percent-encoding, or holds a NUL, which no id does. */
function readParams(pattern: Pattern, path: string): Record<string, string> | undefined {
  const values = pattern.expression.exec(path)?.slice(1) ?? []
  try {
    const params = Object.fromEntries(
      pattern.names.flatMap((name, at) => (values[at] === undefined ? [] : [[name, decodeURIComponent(values[at])]])),
    )
    return Object.values(params).some((value) => value.includes('\u0000')) ? undefined : params
  } catch {
    return undefined
  }
}

export const isChange = (call: Call): boolean => call.method !== 'GET' && call.reads !== true
/** Its refusals stand in the log. */
export const isWatched = (call: Call): boolean => isChange(call) || call.watched === true
