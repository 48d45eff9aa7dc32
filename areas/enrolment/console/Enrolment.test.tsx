import { screen, within } from '@testing-library/react'
import { describe, expect, test } from 'vitest'
import { authorities } from '#areas/authorities/contract.ts'
import { templates } from '#areas/templates/contract.ts'
import { expectAccessible, showScreen } from '#core/console/testing/render.tsx'
import { houseForScreens } from '#core/testing/screens.ts'
import { enrolment } from '../contract.ts'
import { EnrolmentRules } from './EnrolmentRules.tsx'

const { house, as } = await houseForScreens()

const at = enrolment.screens.rules.path

async function open(withTemplate: boolean) {
  const tenancy = await house.tenancy(`Tenancy ${String(withTemplate)}`)
  const rita = await tenancy.person({ permissions: 'all', givenName: 'Rita', familyName: 'Rule' })
  if (withTemplate) {
    const { caId } = await rita.call(authorities.calls.create, {
      kind: 'root',
      friendlyName: 'Root',
      subject: { CN: 'Root' },
      keyAlgorithm: 'P-256',
    })
    const extensions = {
      certificateSans: [{ sanField: 'RFC822' as const, fieldValue: 'Email' }],
      extendedUsages: ['emailProtection' as const],
    }
    await rita.call(templates.calls.add, {
      templateName: 'Everyday',
      caId,
      class: 'AUTONENROLLUSER',
      extensions,
      rules: { keys: ['P-256'] },
    })
  }
  as(rita)
  return { rita, ...showScreen(<EnrolmentRules />, { at }) }
}

describe('Auto-enrolment', () => {
  test('needs a template of its own class first, and says so', async () => {
    const { user } = await open(false)
    expect(await screen.findByText('No rules yet')).toBeDefined()
    await expectAccessible()
    await user.click(screen.getByRole('link', { name: 'New rule' }))
    expect(await screen.findByText('No template for auto-enrolment')).toBeDefined()
    await expectAccessible()
  })

  test('is set up by a rule, run at once, and says what it did for whom', async () => {
    const { user } = await open(true)
    await user.click(await screen.findByRole('link', { name: 'New rule' }))
    await user.click(await screen.findByRole('button', { name: 'Create rule' }))
    expect(await screen.findByText('One field needs attention')).toBeDefined()
    await user.fill(screen.getByRole('textbox', { name: /^Name/ }), 'For everybody')
    await expectAccessible()
    await user.click(screen.getByRole('button', { name: 'Create rule' }))
    expect(await screen.findByText('It has not run yet')).toBeDefined()
    await user.click(screen.getByRole('button', { name: 'Run now' }))
    const table = await screen.findByRole('table', { name: 'Outcomes' })
    expect((await within(table).findAllByText('Ready to collect')).length).toBe(2)
    expect(within(table).getByText('Rita Rule')).toBeDefined()
    await expectAccessible()
  })
})
