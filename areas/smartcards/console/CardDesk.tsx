// The card desk: the readers of the person who sits there, and what can be done with the card in each.

import { Button, Group, Stack, Text } from '@mantine/core'
import { NumberField, SwitchField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { EmptyState, Loaded, LoadingState } from '#core/console/kit/states.tsx'
import { useCall, useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { toastFault } from '#core/console/toast-fault.ts'
import { smartcards } from '../contract.ts'
import { ClientPanel } from './ClientPanel.tsx'
import { ReaderPanels } from './ReaderPanels.tsx'
import { useReaders } from './use-readers.ts'

export function CardDesk() {
  const { found, drive, look } = useReaders()
  return (
    <Page title={t('Card desk')} narrow>
      <Stack gap="md">
        {found === undefined ? (
          <LoadingState />
        ) : !found.connected ? (
          <ClientPanel />
        ) : found.readers.length === 0 ? (
          <EmptyState title={t('No reader')} text={t('Plug a card reader into the machine of the security client.')} />
        ) : (
          <ReaderPanels readers={found.readers} drive={drive} look={look} />
        )}
        {found?.connected === true && <Connected />}
        <TemporaryDefault />
      </Stack>
    </Page>
  )
}

/** Which machine has the readers, and the way to let it go. */
function Connected() {
  const machines = useCall(smartcards.calls.ping, {}).data?.machines ?? []
  const away = useSend(smartcards.calls.killSession)
  if (machines.length === 0) return null
  return (
    <Group justify="space-between">
      <Text size="sm" c="dimmed">
        {t('Security client on {machines}', { machines: machines.join(', ') })}
      </Text>
      <Button variant="default" size="xs" loading={away.pending} onClick={() => void away.run({}).catch(toastFault)}>
        {t('Disconnect')}
      </Button>
    </Group>
  )
}

function TemporaryDefault() {
  const query = useCall(smartcards.calls.temporaryConfiguration, {})
  return (
    <Section title={t('Temporary cards')} intro={t('For how long one stands for another card, where nobody says otherwise.')}>
      <Loaded query={query}>
        {(set) => (
          <Form
            key={JSON.stringify(set)}
            call={smartcards.calls.changeTemporaryConfiguration}
            initial={set}
            submit={t('Save default')}
            guard={false}
            onDone={() => {}}
          >
            {(form) => (
              <>
                <SwitchField {...form.field('unlimitedIsDefault')} label={t('Without an end of its own')} />
                {!form.values.unlimitedIsDefault && (
                  <NumberField {...form.field('defaultDuration')} label={t('Good for')} suffix={t('days')} min={0} max={366} />
                )}
              </>
            )}
          </Form>
        )}
      </Loaded>
    </Section>
  )
}
