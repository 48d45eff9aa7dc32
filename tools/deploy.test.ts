import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { containerFaults, unitFaults } from './deploy.ts'

const read = (file: string): string => readFileSync(fileURLToPath(new URL(`../deploy/${file}`, import.meta.url)), 'utf8')

describe('What is deployed', () => {
  test('has nothing that a build or systemd refuses', () => {
    expect([containerFaults(read('Containerfile')), unitFaults(read('chancery.service'))]).toEqual([[], []])
  })

  test.each([
    [(text: string) => text.replaceAll('USER 1000', 'USER root'), /run as root/],
    [(text: string) => text.replace('node:24-', 'node:22-'), /not the Node 24/],
    [(text: string) => text.replace('COPY package.json', 'COPY packages.json'), /packages\.json: not in the checkout/],
    [(text: string) => text.replace('WORKDIR', 'WORKDER'), /WORKDER is no instruction/],
    [(text: string) => text.replaceAll('apps/server/main.ts', 'apps/server/server.ts'), /there is no apps\/server\/server\.ts/],
    [(text: string) => text.replace(/^CMD .*$/m, 'CMD node apps/server/main.ts'), /a shell would stand/],
  ])('is told of what is wrong in a Containerfile: %#', (spoil, says) => {
    expect(containerFaults(spoil(read('Containerfile'))).join('\n')).toMatch(says)
  })

  test.runIf(existsSync('/usr/bin/systemd-analyze')).each([
    ['KillMode=mixed', 'KillMode=none at all', /kill mode/],
    ['apps/server/main.ts\nRestart', 'apps/server/main.ts\nRestart=on-Failure\nRestart', /restart specifier/],
    ['node_modules/node/bin/node', 'node_modules/node/bin/nodes', /nodes/],
  ])('is told of what is wrong in a unit: %s', (from, to, says) => {
    expect(unitFaults(read('chancery.service').replace(from, to)).join('\n')).toMatch(says)
  })
})
