// The fields of a template of cards. The same ones add and edit.

import { Button, Group, Stack } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { NumberField, SelectField, SwitchField, TextField } from '#core/console/kit/fields.tsx'
import type { FormKit } from '#core/console/kit/Form.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import type { smartcards } from '../contract.ts'
import { slotAlgorithms, slotLabels, slotNames, type CardSlot, type SlotAlgorithm } from '../rules.ts'

export type Choices = OutputOf<typeof smartcards.calls.choices>['templates']
export type CardTemplateValues = {
  name: string
  slots: { slot: CardSlot; algorithm: SlotAlgorithm; templateId: string | undefined }[]
  validityMonths: number | undefined
  enabled: boolean
  attested: boolean
}

export const inputOf = ({ name, slots, validityMonths, enabled, attested }: CardTemplateValues) => ({
  name,
  slots: slots.map(({ templateId, ...slot }) => ({ ...slot, templateId: templateId ?? '' })),
  validityMonths: validityMonths ?? Number.NaN,
  enabled,
  attested,
})

export const newSlot = (slot: CardSlot, templates: Choices): CardTemplateValues['slots'][number] => ({
  slot,
  algorithm: slotAlgorithms.find((algorithm) => templates[0]?.keys.includes(algorithm)) ?? 'RSA-2048',
  templateId: templates[0]?.templateId,
})

export function CardTemplateFields({ form, templates }: { form: FormKit<CardTemplateValues>; templates: Choices }) {
  const { slots } = form.values
  const free = slotNames.filter((name) => slots.every(({ slot }) => slot !== name))
  const [next] = free
  return (
    <>
      <Section title={t('Card')}>
        <Stack gap="md">
          <TextField {...form.field('name')} label={t('Name')} required />
          <NumberField {...form.field('validityMonths')} label={t('Validity')} suffix={t('months')} min={1} max={120} />
          <SwitchField {...form.field('enabled')} label={t('In use')} />
          <SwitchField
            {...form.field('attested')}
            label={t('Only keys that the card attests')}
            hint={t('Cards that attest nothing, or whose maker is not believed, are not issued then.')}
          />
        </Stack>
      </Section>
      <Section title={t('Slots')} intro={t('Each key is made on the card and never leaves it.')}>
        <Stack gap="lg">
          {slots.map(({ slot, templateId }, at) => (
            <Stack key={slot} gap="sm" role="group" aria-label={t(slotLabels[slot])}>
              <SelectField
                {...form.field(`slots.${at}.slot`)}
                label={t('Slot')}
                options={slotNames
                  .filter((name) => name === slot || free.includes(name))
                  .map((value) => ({ value, label: t(slotLabels[value]) }))}
                required
              />
              <SelectField
                {...form.field(`slots.${at}.templateId`)}
                label={t('Certificate template')}
                options={templates.map((one) => ({
                  value: one.templateId,
                  label: one.approvals === 0 ? one.name : t('{name} (needs approval)', { name: one.name }),
                }))}
                required
              />
              <SelectField
                {...form.field(`slots.${at}.algorithm`)}
                label={t('Key')}
                options={slotAlgorithms
                  .filter((name) => templates.find((one) => one.templateId === templateId)?.keys.includes(name) ?? true)
                  .map((value) => ({ value, label: value }))}
                required
              />
              {slots.length > 1 && (
                <Group>
                  <Button
                    variant="subtle"
                    color="red"
                    leftSection={<IconTrash size={16} stroke={1.8} aria-hidden />}
                    onClick={() => form.set('slots', slots.toSpliced(at, 1))}
                  >
                    {t('Remove slot')}
                  </Button>
                </Group>
              )}
            </Stack>
          ))}
          {next !== undefined && (
            <Group>
              <Button
                variant="default"
                leftSection={<IconPlus size={16} stroke={1.8} aria-hidden />}
                onClick={() => form.set('slots', [...slots, newSlot(next, templates)])}
              >
                {t('Add slot')}
              </Button>
            </Group>
          )}
        </Stack>
      </Section>
    </>
  )
}
