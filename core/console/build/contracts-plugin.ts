// The screens of every room as plain data, read from the contracts when the console is built, so that the menu, the routes and the palette
// need none of the contracts' shapes in the first load. `virtual:contracts` holds what a page needs before anybody has signed in: the public
// screens, and the few calls that the shell itself makes; `virtual:contracts/console` holds all screens, and `virtual:contracts/log` what the rows of the
// audit log are called, which only the screens that show them load. A room without a contract yet is left out.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Plugin } from 'vite'
import type { AnyContract, Screen } from '#core/contract/contract.ts'
import { logLabels, type LogLabels } from '#core/contract/log-labels.ts'

const ids = ['virtual:contracts', 'virtual:contracts/console', 'virtual:contracts/log'] as const
const [open, whole, log] = ids.map((id) => `\0${id}`)

/** The calls of the shell: who is signed in, the session's clock, signing out, changing the tenancy. */
const shellCalls = ['bootstrap', 'checkSession', 'refreshSession', 'legacyLogout', 'logout', 'switchTenancy'].map((name) => ({
  area: 'sessions',
  name,
}))

/** What the console knows of a screen. */
const kept = [
  'area',
  'name',
  'path',
  'needs',
  'title',
  'single',
  'menu',
  'parent',
  'button',
  'also',
  'jumps',
  'first',
  'shell',
  'lists',
] as const

type Data = Pick<Screen, (typeof kept)[number]>

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** Every exported contract of a room's file: whatever has an area and screens. */
function screensOf(file: Record<string, unknown>): Data[] {
  return Object.values(file)
    .filter(isRecord)
    .filter((value) => typeof value['area'] === 'string' && isRecord(value['screens']))
    .flatMap((contract) => Object.values(contract['screens'] as Record<string, Data>))
    .map((screen) => Object.fromEntries(kept.flatMap((part) => (screen[part] === undefined ? [] : [[part, screen[part]]]))) as Data)
}

/** The kinds of records of every contract. */
const recordsOf = (file: Record<string, unknown>): unknown[] =>
  Object.values(file)
    .filter(isRecord)
    .filter((value) => typeof value['area'] === 'string' && isRecord(value['records']))
    .flatMap((contract) => Object.values(contract['records'] as Record<string, unknown>))

type CallData = { area: string; name: string; method: string; path: string; failed?: string; faults?: unknown }

const callsOf = (file: Record<string, unknown>): CallData[] =>
  Object.values(file)
    .filter(isRecord)
    .filter((value) => typeof value['area'] === 'string' && isRecord(value['calls']))
    .flatMap((contract) => Object.values(contract['calls'] as Record<string, CallData>))

/** The path of the call that a screen reads first, by the path of the screen. */
const asksOf = (file: Record<string, unknown>): [string, string][] =>
  Object.values(file)
    .filter((value): value is AnyContract => isRecord(value) && typeof value['area'] === 'string' && isRecord(value['screens']))
    .flatMap(({ area, screens, calls }) =>
      Object.values(screens).flatMap(({ name, path, asks }): [string, string][] => {
        if (asks === undefined) return []
        const call = calls[asks]
        if (call?.method !== 'GET' || !call.input.safeParse({}).success)
          throw new TypeError(`${area}.${name} asks ${asks}, which is no GET without input`)
        return [[path, call.path]]
      }),
    )

/** Every exported contract of a room's file, as far as the log names what it declares. */
const loggedOf = (file: Record<string, unknown>): AnyContract[] =>
  Object.values(file).filter(
    (value): value is AnyContract => isRecord(value) && typeof value['area'] === 'string' && isRecord(value['events']),
  )

export type ContractData = {
  rooms: string[]
  screens: Data[]
  records: unknown[]
  doors: Record<string, CallData>
  asks: ReadonlyMap<string, string>
  labels: LogLabels
}

export async function readContracts(root: string, fresh = ''): Promise<ContractData> {
  const load = async (path: string): Promise<Record<string, unknown>> => {
    const file: unknown = await import(pathToFileURL(join(root, path)).href + fresh)
    return isRecord(file) ? file : {}
  }
  const { order } = await load('areas/order.ts')
  const rooms = Array.isArray(order) ? order.filter((room) => typeof room === 'string') : []
  const files = await Promise.all(
    rooms.filter((room) => existsSync(join(root, `areas/${room}/contract.ts`))).map((room) => load(`areas/${room}/contract.ts`)),
  )
  const calls = files.flatMap(callsOf)
  const doors = shellCalls.flatMap(({ area, name }) => {
    const call = calls.find((one) => one.area === area && one.name === name)
    if (call === undefined) return []
    const { method, path, failed, faults } = call
    return [
      [
        name,
        { area, name, method, path, ...(failed === undefined ? {} : { failed }), ...(faults === undefined ? {} : { faults }) },
      ] as const,
    ]
  })
  return {
    rooms,
    screens: files.flatMap(screensOf),
    records: files.flatMap(recordsOf),
    doors: Object.fromEntries(doors),
    asks: new Map(files.flatMap(asksOf)),
    labels: logLabels(files.flatMap(loggedOf)),
  }
}

export const isPublic = ({ needs, shell }: Data): boolean => (shell ?? (needs === 'public' ? 'public' : 'console')) === 'public'

export function contractsPlugin(root: string): Plugin {
  let changes = 0
  return {
    name: 'chancery:contracts',
    resolveId: (asked) => (ids.some((id) => id === asked) ? `\0${asked}` : undefined),
    async load(asked) {
      if (asked !== open && asked !== whole && asked !== log) return undefined
      this.addWatchFile(join(root, 'areas/order.ts'))
      const { screens, records, doors, labels } = await readContracts(root, changes === 0 ? '' : `?${changes}`)
      if (asked === whole) return `export const screens = ${JSON.stringify(screens)}\nexport const records = ${JSON.stringify(records)}`
      if (asked === log) return `export const areas = ${JSON.stringify(labels.areas)}\nexport const names = ${JSON.stringify(labels.names)}`
      return `export const publicScreens = ${JSON.stringify(screens.filter(isPublic))}\nexport const doors = ${JSON.stringify(doors)}`
    },
    handleHotUpdate({ file, server }) {
      if (!/areas\/[^/]+\/contract\.ts$/.test(file)) return
      changes += 1
      for (const id of [open, whole, log]) {
        const module = server.moduleGraph.getModuleById(id ?? '')
        if (module !== undefined) server.moduleGraph.invalidateModule(module)
      }
      server.ws.send({ type: 'full-reload' })
    },
  }
}
