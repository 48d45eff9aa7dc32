// What few templates need: purposes by number, policies, and what Windows and OCSP ask for.

import { ActionIcon, Button, Fieldset, Group, Stack } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { NumberField, SwitchField, TagsField, TextField } from '#core/console/kit/fields.tsx'
import type { FormKit } from '#core/console/kit/Form.tsx'
import { FormSection } from '#core/console/kit/LongForm.tsx'
import { t } from '#core/console/text.ts'
import type { TemplateValues } from './template-values.ts'

type Props = { form: FormKit<TemplateValues> }

export function FurtherUsages({ form }: Props) {
  const own = form.values.extensions.customUsages ?? []
  // A wrong identifier is one of many in a field: the first that is wrong speaks for it.
  const wrong =
    form.error('extensions.customUsages') ??
    own.map((_, at) => form.error(`extensions.customUsages.${at}`)).find((says) => says !== undefined)
  return (
    <TagsField
      {...form.field('extensions.customUsages')}
      value={own}
      error={wrong}
      label={t('Other usages')}
      hint={t('Object identifiers, such as 1.3.6.1.4.1.311.10.3.4')}
    />
  )
}

const inUse = ({ extensions, rules }: TemplateValues): number =>
  [
    (extensions.certificatePolicies ?? []).length > 0,
    extensions.securityIdentifier === true,
    (extensions.microsoftTemplateName ?? '') !== '',
    extensions.microsoftTemplate === true,
    extensions.ocspNoCheck === true,
    extensions.keyArchival === true,
    rules.attestation === true,
    rules.cardsOnly === true,
  ].filter(Boolean).length

export function FurtherExtensions({ form }: Props) {
  const { extensions, rules } = form.values
  const policies = extensions.certificatePolicies ?? []
  const set = (next: typeof policies): void => form.set('extensions.certificatePolicies', next)
  const change = (at: number, part: Partial<(typeof policies)[number]>): void =>
    set(policies.map((policy, index) => (index === at ? { ...policy, ...part } : policy)))
  return (
    <FormSection
      title={t('Further extensions')}
      intro={t('What few templates need: policies, and what Windows, OCSP and key recovery ask for.')}
      folded={t('{count, plural, =0 {None} one {One in use} other {# in use}}', { count: inUse(form.values) })}
    >
      <Fieldset variant="unstyled" legend={t('Certificate policies')}>
        <Stack gap="xs" mt={4}>
          {policies.map((policy, at) => (
            <Group key={at} gap="xs" align="flex-start" wrap="nowrap">
              <div style={{ flex: '1 1 45%', minWidth: 0 }}>
                <TextField
                  {...form.field(`extensions.certificatePolicies.${at}.policyIdentifier`)}
                  value={policy.policyIdentifier}
                  onChange={(text) => change(at, { policyIdentifier: text ?? '' })}
                  label={t('Object identifier')}
                />
              </div>
              <div style={{ flex: '1 1 45%', minWidth: 0 }}>
                <TextField
                  {...form.field(`extensions.certificatePolicies.${at}.cps`)}
                  value={policy.cps ?? ''}
                  onChange={(text) => change(at, { cps: text ?? '' })}
                  label={t('Address of the practice statement')}
                />
              </div>
              <ActionIcon
                variant="subtle"
                color="gray"
                size="lg"
                mt={24}
                aria-label={t('Remove policy {number}', { number: at + 1 })}
                onClick={() => set(policies.toSpliced(at, 1))}
              >
                <IconTrash size={16} stroke={1.8} aria-hidden />
              </ActionIcon>
            </Group>
          ))}
          <Group>
            <Button
              variant="default"
              size="xs"
              leftSection={<IconPlus size={14} stroke={1.8} aria-hidden />}
              onClick={() => set([...policies, { policyIdentifier: '', cps: '' }])}
            >
              {t('Add policy')}
            </Button>
          </Group>
        </Stack>
      </Fieldset>
      <SwitchField
        {...form.field('extensions.securityIdentifier')}
        value={extensions.securityIdentifier ?? false}
        label={t('Windows security identifier (SID)')}
        hint={t('From the person’s record, where it has one. Domain controllers in strong mapping mode ask for it at logon.')}
      />
      <TextField
        {...form.field('extensions.microsoftTemplateName')}
        value={extensions.microsoftTemplateName ?? ''}
        label={t('Windows template name')}
        hint={t('Such as DomainController. Left empty, certificates carry none.')}
      />
      <SwitchField
        {...form.field('extensions.microsoftTemplate')}
        value={extensions.microsoftTemplate ?? false}
        label={t('Windows template identifier')}
        hint={t(
          'Auto-enrolment of Windows knows by it for which templates a machine has a certificate. Without it, it asks for another each time.',
        )}
      />
      {extensions.extendedUsages.includes('OCSPSigning') && (
        <SwitchField
          {...form.field('extensions.ocspNoCheck')}
          value={extensions.ocspNoCheck ?? false}
          label={t('Exempt from OCSP itself')}
          hint={t('Clients do not ask whether the signer’s own certificate was revoked, so let it live for a short time.')}
        />
      )}
      <SwitchField
        {...form.field('extensions.keyArchival')}
        value={extensions.keyArchival ?? false}
        label={t('Archive keys')}
        hint={t(
          'Keys are made here, and a sealed copy of each is kept, so that what was encrypted for it can be read again. Requests with a key of their own are refused.',
        )}
      />
      {extensions.keyArchival === true && (
        <NumberField
          {...form.field('extensions.recoveryApprovers')}
          label={t('Approvers of a recovery')}
          hint={t('Never the one who asks. Left empty, one.')}
          optional
          min={1}
          max={10}
        />
      )}
      <SwitchField
        {...form.field('rules.attestation')}
        value={rules.attestation ?? false}
        label={t('Only keys attested by a TPM')}
        hint={t('Only chancery tpm enrol gets certificates then; every other door refuses this template.')}
      />
      <SwitchField
        {...form.field('rules.cardsOnly')}
        value={rules.cardsOnly ?? false}
        label={t('Only for smartcards')}
        hint={t('Only the card desk gets certificates then, for people; every other door refuses this template.')}
      />
    </FormSection>
  )
}
