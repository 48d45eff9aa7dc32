import { screen } from '@testing-library/react'
import { useState } from 'react'
import { beforeEach, expect, test } from 'vitest'
import { SelectField } from '#core/console/kit/fields.tsx'
import { showScreen } from '#core/console/testing/render.tsx'
import { houseForScreens } from '#core/testing/screens.ts'
import { useAuthoritySearch } from '../authority-search.tsx'
import { authorities } from '../contract.ts'

const { house, as } = await houseForScreens()
const ada = await (await house.tenancy('Acme')).person({ permissions: ['manageCAs'] })
for (const friendlyName of ['First Root', 'Second Root', 'Distant Root'])
  await ada.call(authorities.calls.create, { kind: 'root', friendlyName, subject: { CN: friendlyName } })
const [known] = (await ada.call(authorities.calls.list, { text: 'First' })).rows
beforeEach(() => as(ada))

function Field() {
  const [value, choose] = useState<string>()
  const { options, onSearch } = useAuthoritySearch(known === undefined ? [] : [known], {
    fits: ({ friendlyName }) => !friendlyName.startsWith('Second'),
  })
  return (
    <SelectField
      name="caId"
      label="Authority"
      error={undefined}
      onBlur={() => {}}
      value={value}
      onChange={choose}
      options={options}
      onSearch={onSearch}
    />
  )
}

test('An authority beyond the first of the list is found by its name, and stays chosen', async () => {
  const { user } = showScreen(<Field />, { at: '/' })
  const field = screen.getByRole<HTMLInputElement>('combobox', { name: 'Authority' })
  await user.click(field)
  expect(await screen.findByRole('option', { name: 'First Root' })).toBeDefined()
  await user.type(field, 'root')
  expect(await screen.findByRole('option', { name: 'Distant Root' })).toBeDefined()
  expect(screen.queryByRole('option', { name: 'Second Root' })).toBeNull()
  await user.click(screen.getByRole('option', { name: 'Distant Root' }))
  expect(field.value).toBe('Distant Root')
})
