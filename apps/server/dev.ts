// `npm run dev`: the console from Vite, which reloads it as it changes, in front of the running server. Vite passes on what is no screen.

import { machinePaths } from '#core/server/machines.ts'
import type { Room } from '#core/server/serve.ts'

/** Starts Vite beside the server on `port`, which takes what comes through it for its own console's, and answers the address to open. */
export async function startDevelopment(
  { port, origin }: { port: number; origin: string },
  rooms: readonly Room[],
): Promise<{ address: string; stop(): Promise<void> }> {
  const { createServer } = await import('vite')
  const heads = new Set<string>(['/api', '/api2', ...machinePaths])
  for (const { endpoints, contract } of rooms) {
    const screens = Object.values(contract.screens).map(({ path }) => path)
    for (const path of [...endpoints.map((endpoint) => endpoint.path), ...Object.values(contract.calls).map((call) => call.path)]) {
      const head = path.replace(/\/:.*$/, '')
      if (!screens.includes(head)) heads.add(head)
    }
  }
  const target = `http://127.0.0.1:${port}`
  // The first two are in vite.config.ts as well, for a Vite that is started alone: they would lead to where that one expects the server.
  const proxy = Object.fromEntries(
    ['/api', '/api2', ...[...heads].map((head) => `^${head}(/|\\?|$)`)].map((head) => [head, { target, ws: true, headers: { origin } }]),
  )
  const vite = await createServer({ server: { port: port + 1, strictPort: false, proxy } })
  await vite.listen()
  return { address: vite.resolvedUrls?.local[0] ?? `http://localhost:${port + 1}/`, stop: () => vite.close() }
}
