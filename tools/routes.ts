// Prints every screen, call, stream and endpoint of the product, out of the contracts: path, permission, name. `--json` for programs.

import { rooms } from '#apps/server/rooms.ts'
import { ownPages } from '#core/contract/pages.ts'
import { machinePaths } from '#core/server/machines.ts'

export type RouteLine = {
  kind: 'screen' | 'call' | 'stream' | 'endpoint'
  method: string
  path: string
  needs: string
  area: string
  name: string
}

const machineEndpoints = machinePaths.map((path): RouteLine => ({
  kind: 'endpoint',
  method: 'GET',
  path,
  needs: 'public',
  area: 'core',
  name: path.replace(/^.*\/|\.json$/g, ''),
}))

const consoleScreens = Object.entries(ownPages).map(([name, path]): RouteLine => ({
  kind: 'screen',
  method: 'GET',
  path,
  needs: 'signedIn',
  area: 'core',
  name,
}))

export function listRoutes(): RouteLine[] {
  const lines = rooms.flatMap(({ area, contract, endpoints }): RouteLine[] => [
    ...Object.values(contract.screens).map(({ path, needs, name }): RouteLine => ({
      kind: 'screen',
      method: 'GET',
      path,
      needs,
      area,
      name,
    })),
    ...Object.values(contract.calls).map(({ method, path, needs, name }): RouteLine => ({ kind: 'call', method, path, needs, area, name })),
    ...Object.values(contract.streams).map(({ path, needs, name }): RouteLine => ({
      kind: 'stream',
      method: 'GET',
      path,
      needs,
      area,
      name,
    })),
    ...endpoints.map(({ method, path, needs, name }): RouteLine => ({ kind: 'endpoint', method, path, needs, area, name })),
  ])
  return [...consoleScreens, ...lines, ...machineEndpoints]
}

if (process.argv[1]?.endsWith('routes.ts') === true) {
  const lines = listRoutes()
  if (process.argv.includes('--json')) console.log(JSON.stringify(lines, undefined, 2))
  else
    for (const { kind, method, path, needs, area, name } of lines)
      console.log([kind.padEnd(8), method.padEnd(6), path.padEnd(64), needs.padEnd(30), `${area}.${name}`].join(' '))
}
