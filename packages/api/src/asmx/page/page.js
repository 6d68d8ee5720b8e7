/* Sends a form and shows the beginning of the answer below it. */

const shown = 64 * 1024;

for (const form of document.querySelectorAll('form')) {
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    send(form).catch((error) => show(form, `No answer: ${error.message}`, ''));
  });
}

async function send(form) {
  show(form, 'Sending…', '');
  const headers = {};
  for (const field of form.querySelectorAll('[data-header]')) headers[field.dataset.header] = field.value;
  const body = new URLSearchParams(new FormData(form));
  const answer = await fetch(form.action, { method: 'POST', headers, body, credentials: 'omit' });
  const { text, whole } = await beginningOf(answer.body);
  show(form, `${answer.status} ${answer.statusText}${whole ? '' : ' (the beginning of it)'}`, text);
}

async function beginningOf(stream) {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (text.length < shown) {
    const { done, value } = await reader.read();
    if (done) return { text, whole: true };
    text += value;
  }
  await reader.cancel();
  return { text: text.slice(0, shown), whole: false };
}

function show(form, status, text) {
  const output = form.querySelector('output');
  const line = document.createElement('p');
  line.textContent = status;
  const answer = document.createElement('pre');
  answer.textContent = text;
  output.replaceChildren(line, ...(text === '' ? [] : [answer]));
}
