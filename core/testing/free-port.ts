import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { createServer } from 'node:net'

/**
 * A port that nobody has now, below those that systems give by themselves: so none of the servers beside it gets it before its user listens. Nobody
 * else is given it while this process lives: the port of the same number is taken at UDP, where no server is in the way of that.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000)
    if ((await reserve(port)) && (await isFree(port))) return port
  }
}

function reserve(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = createSocket('udp4').unref()
    socket.once('error', (error) => (isTaken(error) ? resolve(false) : reject(error)))
    socket.bind({ port, address: '127.0.0.1', exclusive: true }, () => resolve(true))
  })
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', (error) => (isTaken(error) ? resolve(false) : reject(error)))
    probe.listen(port, () => probe.close(() => resolve(true)))
  })
}

const isTaken = (error: Error) => 'code' in error && error.code === 'EADDRINUSE'
