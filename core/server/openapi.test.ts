// The description of the API, as a program fetches it.

import { beforeAll, expect, test } from 'vitest'
import { rooms } from '#apps/server/rooms.ts'
import { useHouse } from '#core/testing/house.ts'

type Operation = {
  operationId: string
  summary: string
  description: string
  'x-permission': string
  parameters?: { name: string; in: string; required?: boolean }[]
  requestBody?: object
  responses: Record<string, { description: string }>
  security?: unknown[]
}
type Description = { openapi: string; paths: Record<string, Record<string, Operation>>; components: { schemas: Record<string, object> } }

let described: Description

const house = await useHouse()
beforeAll(async () => {
  described = JSON.parse(await (await house.fetch('/api2/openapi.json')).text())
})

const calls = rooms.flatMap((room) => room.calls.map(({ call }) => call))

test('describes every call, under its address and method, with its permission', () => {
  expect(described.openapi).toBe('3.1.0')
  const operations = Object.values(described.paths).flatMap((methods) => Object.values(methods))
  expect(operations.map((operation) => operation.operationId).sort()).toEqual(calls.map(({ area, name }) => `${area}.${name}`).sort())
  for (const call of calls)
    expect(described.paths[call.path.replace(/:(\w+)\??/g, '{$1}')]?.[call.method.toLowerCase()]).toMatchObject({
      operationId: `${call.area}.${call.name}`,
      'x-permission': call.needs,
    })
})

test('says of every call in words what it is and who may call it', () => {
  const said = (area: string, name: string) =>
    Object.values(described.paths)
      .flatMap((methods) => Object.values(methods))
      .find(({ operationId }) => operationId === `${area}.${name}`)
  expect(said('certificates', 'requestForDevice')).toMatchObject({
    summary: 'Request for device',
    description: expect.stringMatching(/^Asks for a certificate for a device; .* Needs the permission `certSigningRequest`\./),
  })
  expect(said('sessions', 'TOTPAuth')).toMatchObject({ summary: 'TOTP auth' })
  expect(calls.filter(({ area, name }) => !/^[A-Z][\w ]+$/.test(said(area, name)?.summary ?? '')).map(({ name }) => name)).toEqual([])
})

test('says of every call in a sentence what it does and what comes back', () => {
  expect(calls.filter(({ does }) => !/^[A-Z].{25,}\.$/.test(does)).map(({ area, name }) => `${area}.${name}`)).toEqual([])
  expect(calls.map(({ does }) => does).filter((does, at, all) => all.indexOf(does) !== at)).toEqual([])
})

test('names each parameter of each address', () => {
  for (const [path, methods] of Object.entries(described.paths)) {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    for (const operation of Object.values(methods))
      expect([path, (operation.parameters ?? []).filter((parameter) => parameter.in === 'path').map(({ name }) => name)]).toEqual([
        path,
        inPath,
      ])
  }
})

test('names every fault with its text', () => {
  for (const call of calls) {
    const operation = described.paths[call.path.replace(/:(\w+)\??/g, '{$1}')]?.[call.method.toLowerCase()]
    for (const [code, { status, says }] of Object.entries(call.faults ?? {}))
      expect(operation?.responses[status]?.description).toContain(`\`${code}\`: ${says}`)
  }
})

test('refers to nothing that it does not hold', () => {
  const text = JSON.stringify(described)
  const references = new Set([...text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name ?? ''))
  expect([...references].filter((name) => !(name in described.components.schemas))).toEqual([])
  expect(text).not.toMatch(/"\$ref":"#(?!\/components\/schemas\/)/)
})
