// One's own secret questions: set the first time, or reset by a link that is mailed.

import { Alert, Button, List, Stack, Text } from '@mantine/core'
import { IconMail } from '@tabler/icons-react'
import { useState } from 'react'
import { sessions } from '#areas/sessions/contract.ts'
import { useViewer } from '#core/console/bootstrap.ts'
import { Form } from '#core/console/kit/Form.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { FaultAlert, Loaded } from '#core/console/kit/states.tsx'
import { useCall, useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { questions } from '../contract.ts'
import { questionLabel } from '../question-label.ts'
import { emptyQuestions, QuestionFields, sentQuestions, type QuestionValues } from '../QuestionFields.tsx'
import { makeClientSalt, noVersion, type OwnQuestions } from '../rules.ts'

export function MyQuestions() {
  const query = useCall(questions.calls.read, {})
  return (
    <Page
      title={t('Secret questions')}
      intro={t(
        'Their answers prove that it is you when you have forgotten your password, and unblock your smartcard when you have forgotten its PIN. Answers are stored so that nobody can read them.',
      )}
      narrow
    >
      <Loaded query={query}>{(own) => (own.version === noVersion ? <FirstTime /> : <SetAlready own={own} />)}</Loaded>
    </Page>
  )
}

function FirstTime() {
  const [salt] = useState(makeClientSalt)
  return (
    <Form
      call={questions.calls.set}
      initial={emptyQuestions()}
      toInput={(values: QuestionValues) => ({ client_salt: salt, questions: sentQuestions(values) })}
      submit={t('Set questions')}
      cancel={{ label: t('Cancel'), to: to(sessions.screens.account) }}
      onDone={() => {}}
    >
      {(form) => <QuestionFields form={form} salt={salt} />}
    </Form>
  )
}

function SetAlready({ own }: { own: OwnQuestions }) {
  const viewer = useViewer()
  const send = useSend(questions.calls.requestReset)
  return (
    <Stack gap="md">
      <Text>{t('You have set these questions:')}</Text>
      <List>
        {own.questions.map((one) => (
          <List.Item key={questionLabel(one)}>{questionLabel(one)}</List.Item>
        ))}
      </List>
      <FaultAlert fault={send.fault} />
      {send.answer === undefined ? (
        <div>
          <Button loading={send.pending} onClick={() => void send.run({ user_id: viewer.id }).catch(() => {})}>
            {t('Send reset link')}
          </Button>
        </div>
      ) : (
        <Alert icon={<IconMail size={18} aria-hidden />} title={t('Reset link sent')} role="status">
          {t('A secret question reset link has been sent to your email inbox')}
        </Alert>
      )}
    </Stack>
  )
}
