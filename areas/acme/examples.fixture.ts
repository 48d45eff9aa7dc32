import type { ScreenExample } from '#core/testing/examples.ts'
import { acme } from './contract.ts'

const directory: ScreenExample = async (administrator) => {
  const [template] = (await administrator.call(acme.calls.choices, {})).templates
  const { id } = await administrator.call(acme.calls.addDirectory, {
    name: `Example ${crypto.randomUUID()}`,
    profiles: [{ name: 'default', templateId: template?.templateId ?? '' }],
  })
  return { id }
}

/** Only a client makes orders: the screen says that there is none. */
const noOrder: ScreenExample = async () => ({ id: crypto.randomUUID() })

export const examples = { editDirectory: directory, order: noOrder }
