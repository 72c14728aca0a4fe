-- Sends text to a session of ccd, and shows its screen in a split. For Neovim 0.7 or later.
--
-- Copy this file to ~/.config/nvim/lua, and add to init.lua:
--
--   require("ccd")
--   vim.keymap.set({ "n", "x" }, "<Leader>s", ":CcdSend<CR>")
--
-- :CcdScreen NAME     shows the screen of the session NAME, and keeps it up to date
-- :[RANGE]CcdSend     types the lines of RANGE, by default the paragraph at the cursor, into that session

local uv = vim.uv or vim.loop
local M = {}

local connection -- { pipe, calls, next_id }
local view -- { session, buffer, window, subscription, is_drawing, is_stale }

local function report(text)
  vim.notify("ccd: " .. text, vim.log.levels.ERROR)
end

local function receive(message)
  if message.method then -- an item of the subscription
    return M.draw()
  end
  if message.error then
    report(message.error.message)
  end
  connection.calls[message.id](message.result)
  connection.calls[message.id] = nil
end

local function connect()
  -- Starts the daemon if none is running; the reply has the path of its socket.
  local started = vim.json.decode(vim.fn.system({ "ccctl", "--json", "daemon", "start" }))
  local pipe, rest = uv.new_pipe(false), ""
  connection = { pipe = pipe, calls = {}, next_id = 1 }
  pipe:connect(started.socket, function(problem)
    assert(not problem, problem)
    pipe:read_start(vim.schedule_wrap(function(_, bytes)
      if not bytes then -- the daemon was stopped or upgraded; the next call connects again
        pipe:close()
        connection, view = nil, nil
        return
      end
      rest = rest .. bytes
      for line in rest:gmatch("([^\n]*)\n") do
        receive(vim.json.decode(line))
      end
      rest = rest:match("[^\n]*$")
    end))
  end)
end

--- Calls a method of ccd; `done` gets its result, or nil after an error.
function M.call(method, params, done)
  if not connection then
    connect()
  end
  local id = connection.next_id
  connection.next_id = id + 1
  connection.calls[id] = done or function() end
  connection.pipe:write(vim.json.encode({ jsonrpc = "2.0", id = id, method = method, params = params }) .. "\n")
end

--- Draws the screen again. While a reply is on its way, more output only leads to one more request.
function M.draw()
  local drawn = view
  if not drawn or drawn.is_drawing then
    if drawn then
      drawn.is_stale = true
    end
    return
  end
  drawn.is_drawing, drawn.is_stale = true, false
  M.call("session.screen", { session = drawn.session }, function(screen)
    drawn.is_drawing = false
    if not screen or drawn ~= view then
      return
    end
    vim.api.nvim_buf_set_lines(drawn.buffer, 0, -1, false, screen.lines)
    if vim.api.nvim_win_is_valid(drawn.window) then
      vim.api.nvim_win_set_cursor(drawn.window, { screen.cursor.row + 1, 0 })
    end
    if drawn.is_stale then
      M.draw()
    end
  end)
end

function M.show(session)
  if view then
    vim.api.nvim_buf_delete(view.buffer, { force = true })
  end
  local buffer = vim.api.nvim_create_buf(false, true)
  vim.bo[buffer].bufhidden = "wipe"
  vim.cmd("botright split")
  local shown = { session = session, buffer = buffer, window = vim.api.nvim_get_current_win() }
  vim.api.nvim_win_set_buf(shown.window, buffer)
  vim.wo.statusline = "ccd: " .. session
  vim.cmd("wincmd p")
  view = shown
  M.call("session.subscribe", { session = session }, function(id)
    shown.subscription = id
  end)
  M.draw()
  vim.api.nvim_create_autocmd("BufWipeout", {
    buffer = buffer,
    callback = function()
      if view == shown then
        M.call("session.unsubscribe", { shown.subscription })
        view = nil
      end
    end,
  })
end

function M.send(first, last)
  if not view then
    return report("no session is shown; use :CcdScreen NAME")
  end
  local lines = vim.api.nvim_buf_get_lines(0, first - 1, last, false)
  -- Typed line by line; with `paste = true`, a program that supports pasting takes all lines as one input.
  M.call("session.send", { session = view.session, text = table.concat(lines, "\n"), newline = true })
end

vim.api.nvim_create_user_command("CcdScreen", function(command)
  M.show(command.args)
end, { nargs = 1 })

vim.api.nvim_create_user_command("CcdSend", function(command)
  if command.range > 0 then
    return M.send(command.line1, command.line2)
  end
  local blank = [[^\s*$]]
  local after = vim.fn.search(blank, "nW")
  M.send(vim.fn.search(blank, "bcnW") + 1, after > 0 and after - 1 or vim.fn.line("$"))
end, { range = true })

return M
