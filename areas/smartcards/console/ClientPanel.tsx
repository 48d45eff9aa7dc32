// How a security client is connected: the one on this machine at the press of a button, another by the code that it shows.

import { Alert, Button, Group, List, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { TextField } from '#core/console/kit/fields.tsx'
import { Form } from '#core/console/kit/Form.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { t } from '#core/console/text.ts'
import { clientPorts } from '#core/contract/client-ports.ts'
import { smartcards } from '../contract.ts'
import { connectFaultOf, connectLocalClient } from './local-client.ts'

export function ClientPanel() {
  const [state, setState] = useState<{ connecting: boolean; fault?: { title: string; says: string } }>({ connecting: false })
  const connect = async (): Promise<void> => {
    setState({ connecting: true })
    try {
      await connectLocalClient()
      setState({ connecting: false })
    } catch (error) {
      setState({ connecting: false, fault: connectFaultOf(error) })
    }
  }
  return (
    <Stack gap="md">
      <Section
        title={t('No CMS Client connected')}
        intro={t('Cards and readers are reached through the security client, a small program on the machine that has the reader.')}
      >
        <Stack gap="md">
          {state.fault !== undefined && (
            <Alert color="red" title={state.fault.title}>
              {state.fault.says}
            </Alert>
          )}
          <List type="ordered" size="sm">
            <List.Item>
              {t('Start the security client on this machine. Where Chancery itself was started on this machine, one runs already.')}
            </List.Item>
            <List.Item>
              {t('Press the button. Where the browser asks whether this page may reach devices on this machine, allow it.')}
            </List.Item>
          </List>
          <Group>
            <Button loading={state.connecting} onClick={() => void connect()}>
              {t('Connect this machine')}
            </Button>
          </Group>
        </Stack>
      </Section>
      <Section
        title={t('Connect by a code')}
        intro={t(
          'For a client on another machine, or where the browser does not let this page reach it. It shows a code on its status page, which is http://127.0.0.1 with the first free port from {first} to {last}, on its own machine.',
          { first: String(clientPorts[0]), last: String(clientPorts.at(-1)) },
        )}
      >
        <Form call={smartcards.calls.pair} initial={{ code: '' }} submit={t('Connect client')} guard={false} onDone={() => {}}>
          {(form) => <TextField {...form.field('code')} label={t('Code')} required />}
        </Form>
        <Text size="sm" c="dimmed" mt="sm">
          {t('The code is good for ten minutes.')}
        </Text>
      </Section>
    </Stack>
  )
}
