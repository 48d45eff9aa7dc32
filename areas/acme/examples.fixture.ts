import type { ScreenExample, ScreenExamples } from '#core/testing/examples.ts'
import { acme } from './contract.ts'
import { acmeClient } from './server/client.fixture.ts'

type Administrator = Parameters<ScreenExample>[0]

async function directoryFor(administrator: Administrator): Promise<{ id: string; url: string }> {
  const [template] = (await administrator.call(acme.calls.choices, {})).templates
  return administrator.call(acme.calls.addDirectory, {
    name: `Example ${crypto.randomUUID()}`,
    profiles: [{ name: 'default', templateId: template?.templateId ?? '' }],
    eabRequired: false,
  })
}

const directory = async (administrator: Administrator) => ({ id: (await directoryFor(administrator)).id })

/** Only a client makes orders. */
const order = async (administrator: Administrator) => {
  const { id: directoryId, url } = await directoryFor(administrator)
  const client = await acmeClient((path, init) => administrator.fetch(path, init), url)
  await client.register()
  await client.order(['www.example.org'])
  const [made] = (await administrator.call(acme.calls.orders, { directoryId })).rows
  return { id: made?.id ?? '' }
}

export const examples = { editDirectory: directory, order } satisfies ScreenExamples
