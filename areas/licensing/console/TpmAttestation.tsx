// Which templates take only keys that a TPM attests, and whose TPMs are believed.

import { Alert, Button, Group, Stack, Switch, Text } from '@mantine/core'
import { IconCpu, IconInfoCircle, IconPlus, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { confirm } from '#core/console/kit/confirm.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { MultiSelectField } from '#core/console/kit/fields.tsx'
import { Mono } from '#core/console/kit/Mono.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { FaultAlert, Loaded } from '#core/console/kit/states.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { useCall, useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { licensing } from '../contract.ts'
import { RootDialog } from './CertificateDialog.tsx'

type Attestation = OutputOf<typeof licensing.calls.attestation>
type Root = Attestation['roots'][number]
type Policy = Attestation['templates'][number]

export function TpmAttestation() {
  const query = useCall(licensing.calls.attestation, {})
  const [opened, setOpened] = useState(false)
  return (
    <Page
      title={t('TPM key attestation')}
      intro={t('A template can demand that the key was made in a TPM and cannot leave it.')}
      actions={
        <Button leftSection={<IconPlus size={16} stroke={1.8} aria-hidden />} onClick={() => setOpened(true)}>
          {t('Accept a root')}
        </Button>
      }
    >
      <Alert
        variant="light"
        icon={<IconInfoCircle size={18} stroke={1.8} aria-hidden />}
        title={t('How a machine gets such a certificate')}
      >
        {t(
          'On a machine with a TPM 2.0: chancery tpm enrol, with an API token in CHANCERY_TOKEN. Its endorsement key must lead to an accepted root. Every other door refuses such a template.',
        )}
      </Alert>
      <Loaded query={query}>
        {({ roots, templates }) => (
          <Stack gap="md">
            <Section title={t('Accepted roots')} intro={t('The roots that certify the manufacturers’ endorsement keys (EK).')}>
              {roots.length === 0 ? (
                <Text c="dimmed">{t('None yet: no TPM is believed.')}</Text>
              ) : (
                roots.map((root) => <RootFacts key={root.id} root={root} />)
              )}
            </Section>
            <Section title={t('Policy of each template')}>
              {templates.length === 0 ? (
                <Text c="dimmed">{t('This tenancy may use no template yet.')}</Text>
              ) : (
                templates.map((policy) => <PolicyFields key={policy.licensedTemplateId} policy={policy} roots={roots} />)
              )}
            </Section>
          </Stack>
        )}
      </Loaded>
      <RootDialog opened={opened} onClose={() => setOpened(false)} />
    </Page>
  )
}

function RootFacts({ root }: { root: Root }) {
  const remove = useSend(licensing.calls.removeRoot)
  const ask = async (): Promise<void> => {
    const sure = await confirm({
      title: t('Remove the root of {name}?', { name: root.manufacturer }),
      consequence: t('Keys of its TPMs are not believed any more. Certificates that were issued stay.'),
      action: t('Remove root'),
      keep: t('Keep root'),
    })
    if (sure) await remove.run({ id: root.id }).catch(() => {})
  }
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Group gap="sm">
          <IconCpu size={18} stroke={1.8} aria-hidden />
          <Text fw={600}>{root.manufacturer}</Text>
          <Status of={root.status} />
        </Group>
        <Button
          variant="subtle"
          color="red"
          size="xs"
          leftSection={<IconTrash size={14} stroke={1.8} aria-hidden />}
          aria-label={t('Remove the root of {name}', { name: root.manufacturer })}
          onClick={() => void ask()}
        >
          {t('Remove')}
        </Button>
      </Group>
      {remove.fault !== undefined && <FaultAlert fault={remove.fault} />}
      <Facts
        items={[
          { label: t('Subject'), value: root.subject },
          { label: t('Key'), value: root.key },
          { label: t('Valid until'), value: <DateTime at={root.notAfter} dateOnly /> },
          { label: t('SHA-256'), value: <Mono value={root.sha256} />, copy: root.sha256 },
          { label: t('Accepted by'), value: root.addedBy },
        ]}
      />
    </Stack>
  )
}

/** NAME stands for the DNS name of the machine. */
const commandFor = (templateId: string): string =>
  `npx chancery tpm enrol --server ${window.location.origin} --template ${templateId} --name NAME --out device.pem`

function PolicyFields({ policy, roots }: { policy: Policy; roots: readonly Root[] }) {
  const save = useSend(licensing.calls.setAttestation, { invalidates: ['templates'], quiet: true })
  const { licensedTemplateId, displayName, caName, byTemplate, required } = policy
  const set = (change: { required?: boolean; roots?: string[] }): void =>
    void save.run({ licensedTemplateId, required, roots: policy.roots, ...change }).catch(() => {})
  return (
    <Stack gap="xs">
      <Switch
        label={t('{template} takes only attested keys', { template: displayName })}
        description={byTemplate ? t('Its owner requires this; it cannot be switched off here.') : caName}
        checked={required}
        disabled={byTemplate}
        onChange={({ currentTarget }) => set({ required: currentTarget.checked })}
      />
      {save.fault !== undefined && <FaultAlert fault={save.fault} />}
      {required && (
        <Facts
          items={[
            { label: t('On the machine'), value: <Mono value={commandFor(licensedTemplateId)} />, copy: commandFor(licensedTemplateId) },
          ]}
        />
      )}
      {required && (
        <MultiSelectField
          name={`roots-${licensedTemplateId}`}
          label={t('Roots for {template}', { template: displayName })}
          placeholder={t('Any accepted root')}
          value={policy.roots}
          onChange={(picked) => set({ roots: picked ?? [] })}
          onBlur={() => {}}
          error={undefined}
          options={roots.map(({ id, manufacturer }) => ({ value: id, label: manufacturer }))}
        />
      )}
    </Stack>
  )
}
