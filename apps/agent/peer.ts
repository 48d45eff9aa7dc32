// Which account of this machine has opened a connection to the door. Where the system tells, another account than that of the agent gives no orders.

import { readFile } from 'node:fs/promises'
import type { Socket } from 'node:net'

const tables = ['/proc/net/tcp', '/proc/net/tcp6']
const established = '01'

const portOf = (address: string): number => Number.parseInt(address.slice(address.lastIndexOf(':') + 1), 16)

/** Reads the kernel's table of connections; undefined where there is none, or the connection is not in it. */
export async function peerUser({ localPort, remotePort }: Pick<Socket, 'localPort' | 'remotePort'>): Promise<number | undefined> {
  for (const table of tables) {
    const text = await readFile(table, 'latin1').catch(() => '')
    for (const line of text.split('\n').slice(1)) {
      const [, local = '', remote = '', state, , , , user] = line.trim().split(/\s+/)
      // The other end's own line: its port is our remote one.
      if (state === established && portOf(local) === remotePort && portOf(remote) === localPort) return Number(user)
    }
  }
  return undefined
}
